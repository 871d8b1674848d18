// SPDX-License-Identifier: Apache-2.0
// The runtime never prints, whatever goes wrong, and works where standard output and error are closed.
#include "tests/catch.h"
#include "tests/unit/runtime/runtime_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace warpwright::testing;

namespace {

/// Takes descriptors 1 and 2 away for a while: closed, or led into a file.
class Descriptors {
 public:
  explicit Descriptors(const char *file) : out_(dup(1)), error_(dup(2)) {
    close(1);
    close(2);
    if (!file) return;
    const int descriptor = open(file, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(descriptor, 1);
    dup2(descriptor, 2);
  }
  ~Descriptors() {
    fflush(nullptr);
    dup2(out_, 1);
    dup2(error_, 2);
    close(out_);
    close(error_);
  }

 private:
  int out_, error_;
};

/// A bit of everything, most of it wrong. Returns how many calls failed.
int use_and_misuse(const std::string &file, const std::string &damaged) {
  int failures = 0;
  ww_message_t message;
  const auto count = [&](ww_status_t status) { failures += status != WW_STATUS_OK; };
  ww_archive_t *archive = nullptr;
  count(wwArchiveOpen("/no/such/file", &archive, &message));
  count(wwArchiveOpen(damaged.c_str(), &archive, &message));
  wwArchiveClose(archive);
  count(wwArchiveOpen(file.c_str(), &archive, nullptr));
  ww_operator_t *op = nullptr;
  count(wwArchiveFindOperator(archive, "none", &op, &message));
  count(wwArchiveFindOperator(archive, "op", &op, &message));
  ww_driver_t *driver = nullptr;
  count(wwDriverOpen("/no/such/library", &driver, &message));
  count(wwDriverOpen(WARPWRIGHT_FAKE_OLD_CUDA, &driver, &message));
  count(wwDriverOpen(WARPWRIGHT_FAKE_CUDA, &driver, &message));
  SmallLaunch small(50);
  small.launch.num_variables = 0;
  count(wwOperatorLaunch(op, driver, &small.launch, &message));
  small.launch.num_variables = 1;
  count(wwOperatorLaunch(op, driver, &small.launch, &message));
  wwDriverClose(driver);
  wwArchiveClose(archive);
  return failures;
}

}  // namespace

TEST_CASE("silence: nothing is printed, and closed standard streams do no harm") {
  fresh_fake();
  const ScratchFolder scratch;
  std::string bytes = small_archive_bytes({"op"});
  write_bytes(scratch.path("sound.wwa"), bytes);
  bytes[200] = static_cast<char>(bytes[200] ^ 1);
  write_bytes(scratch.path("damaged.wwa"), bytes);

  int failures = 0;
  {
    const Descriptors led(scratch.path("printed").c_str());
    failures = use_and_misuse(scratch.path("sound.wwa"), scratch.path("damaged.wwa"));
  }
  CHECK(failures == 6);
  CHECK(read_bytes(scratch.path("printed")).empty());
  {
    const Descriptors closed(nullptr);
    failures = use_and_misuse(scratch.path("sound.wwa"), scratch.path("damaged.wwa"));
    // Nothing was left open in their place.
    struct stat facts;
    if (fstat(1, &facts) == 0 || fstat(2, &facts) == 0) failures = -1;
  }
  CHECK(failures == 6);
}
