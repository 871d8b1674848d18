// SPDX-License-Identifier: Apache-2.0
// The compiler cache: what is read is what was written, or nothing.
#include "generator/compile/cache.h"
#include "generator/compile/compile.h"
#include "generator/compile/scratch.h"
#include "generator/support/digest.h"
#include "tests/catch.h"
#include "tests/unit/compile/stub_cuda.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

using namespace warpwright;
using namespace warpwright::compile;
using namespace warpwright::compile_test;

namespace {

namespace fs = std::filesystem;

std::string key_of(const std::string &text) { return support::sha256_hex(text); }

/// Name of a process that has ended: a child that we waited for.
std::string tag_of_ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string &own = owner_tag();
  return own.substr(0, own.find('-') + 1) + std::to_string(child) + "-1";
}

}  // namespace

TEST_CASE("cache: stored bytes come back, other keys are misses, the last store wins") {
  const TestFolder folder;
  const Cache cache(folder.path() + "/not/yet/there");
  std::string why;
  CHECK_FALSE(cache.load(key_of("a")));
  const std::string binary("\0\n\xff content \0", 13);
  REQUIRE(cache.store(key_of("a"), binary, why));
  CHECK(cache.load(key_of("a")) == binary);
  CHECK_FALSE(cache.load(key_of("b")));
  REQUIRE(cache.store(key_of("a"), "second", why));
  CHECK(cache.load(key_of("a")) == std::string("second"));
  REQUIRE(cache.store(key_of("empty"), "", why));
  CHECK(cache.load(key_of("empty")) == std::string());
  CHECK(fs::is_empty(cache.staging_folder()));
}

TEST_CASE("cache: any flipped bit, cut or added byte makes an entry a miss, and a store repairs it") {
  const TestFolder folder;
  const Cache cache(folder.path());
  const std::string key = key_of("entry");
  std::string why;
  REQUIRE(cache.store(key, "the content of the entry", why));
  const std::string good = read_text(cache.entry_path(key));
  for (size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    write_text(cache.entry_path(key), bad);
    INFO("byte " << byte);
    CHECK_FALSE(cache.load(key));
  }
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    write_text(cache.entry_path(key), good.substr(0, bytes));
    CHECK_FALSE(cache.load(key));
  }
  write_text(cache.entry_path(key), good + "x");
  CHECK_FALSE(cache.load(key));
  REQUIRE(cache.store(key, "the content of the entry", why));
  CHECK(cache.load(key) == std::string("the content of the entry"));
}

TEST_CASE("cache: an entry under another entry's name is a miss") {
  const TestFolder folder;
  const Cache cache(folder.path());
  std::string why;
  REQUIRE(cache.store(key_of("a"), "a's content", why));
  write_text(cache.entry_path(key_of("b")), read_text(cache.entry_path(key_of("a"))));
  CHECK_FALSE(cache.load(key_of("b")));
}

TEST_CASE("cache: a folder that cannot be made is a reason, not a failure of the reader") {
  const TestFolder folder;
  write_text(folder.path() + "/file", "in the way");
  const Cache cache(folder.path() + "/file");
  std::string why;
  CHECK_FALSE(cache.store(key_of("a"), "x", why));
  CHECK_FALSE(why.empty());
  CHECK_FALSE(cache.load(key_of("a")));
}

TEST_CASE("cache: an entry's place that is taken by a folder is a reason and leaves no staged file") {
  const TestFolder folder;
  const Cache cache(folder.path());
  std::string why;
  fs::create_directories(cache.entry_path(key_of("a")) + "/full");
  CHECK_FALSE(cache.store(key_of("a"), "x", why));
  CHECK_FALSE(why.empty());
  CHECK(fs::is_empty(cache.staging_folder()));
}

TEST_CASE("cache: a full disk is a reason and leaves no staged file") {
  // /dev/full takes no byte; a staging folder on it cannot be had, so the limit on file size stands in.
  const TestFolder folder;
  const Cache cache(folder.path());
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::string why;
    const bool is_stored = cache.store(key_of("a"), std::string(100'000, 'x'), why);
    ::_exit(!is_stored && !why.empty() && fs::is_empty(cache.staging_folder()) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK_FALSE(cache.load(key_of("a")));
}

TEST_CASE("cache: staged files of ended processes go, those of living ones and strangers stay") {
  const TestFolder folder;
  const Cache cache(folder.path());
  const std::string staging = cache.staging_folder();
  write_text(staging + "/staged-" + tag_of_ended_process() + "-0", "half");
  write_text(staging + "/staged-" + owner_tag() + "-7", "mine");
  write_text(staging + "/staged-0badf00d-1-1-0", "another boot's, young");
  write_text(staging + "/staged-0badf00d-2-1-0", "another boot's, old");
  // Ids are used again: this process's id with another start time is another process.
  write_text(staging + "/staged-" + owner_tag().substr(0, owner_tag().rfind('-')) + "-1-0", "an earlier process's");
  write_text(staging + "/notes.txt", "a person's");
  write_text(staging + "/staged-notes", "a person's");
  fs::last_write_time(staging + "/staged-notes", fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::last_write_time(staging + "/staged-0badf00d-2-1-0", fs::file_time_type::clock::now() - std::chrono::hours(2));
  CHECK(cache.remove_abandoned() == 3);
  CHECK(fs::exists(staging + "/staged-" + owner_tag() + "-7"));
  CHECK(fs::exists(staging + "/staged-0badf00d-1-1-0"));
  CHECK(fs::exists(staging + "/notes.txt"));
  CHECK(fs::exists(staging + "/staged-notes"));
}

TEST_CASE("cache: the first store of a process removes what killed processes staged") {
  const TestFolder folder;
  const Cache cache(folder.path());
  const std::string left = cache.staging_folder() + "/staged-" + tag_of_ended_process() + "-0";
  write_text(left, "half");
  std::string why;
  REQUIRE(cache.store(key_of("a"), "x", why));
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("cache: threads that store and load the same keys never see a mixture") {
  const TestFolder folder;
  const Cache cache(folder.path());
  std::atomic<int> wrong{0}, hits{0};
  const auto content = [](int key, int version) { return std::string(20'000 + key, static_cast<char>('a' + version)); };
  const auto work = [&](int seed) {
    for (int round = 0; round < 60; ++round) {
      const int key = (round + seed) % 5;
      std::string why;
      if (!cache.store(key_of(std::to_string(key)), content(key, seed % 26), why)) ++wrong;
      const std::optional<std::string> got = cache.load(key_of(std::to_string(key)));
      if (!got) continue;
      ++hits;
      if (got->size() != content(key, 0).size() || got->find_first_not_of(got->front()) != std::string::npos) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread &thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(hits > 0);
}

TEST_CASE("cache: the default folder follows the environment") {
  const Variable home("HOME", "/home/somebody");
  {
    const Variable own("WARPWRIGHT_CACHE", "/elsewhere");
    CHECK(default_cache_folder() == "/elsewhere");
  }
  const Variable none("WARPWRIGHT_CACHE", "");
  {
    const Variable xdg("XDG_CACHE_HOME", "/xdg");
    CHECK(default_cache_folder() == "/xdg/warpwright");
  }
  {
    const Variable relative("XDG_CACHE_HOME", "relative");
    CHECK(default_cache_folder() == "/home/somebody/.cache/warpwright");
  }
  const Variable no_xdg("XDG_CACHE_HOME", "");
  CHECK(default_cache_folder() == "/home/somebody/.cache/warpwright");
  const Variable relative_home("HOME", "here");
  CHECK(default_cache_folder().empty());
  const Variable no_home("HOME", "");
  CHECK(default_cache_folder().empty());
}

TEST_CASE("scratch: folders of ended processes go, with everything in them") {
  const TestFolder folder;
  const Variable temporary("TMPDIR", folder.path());
  {
    const ScratchFolder own;  // the process's first one cleans up by itself
    const std::string left = folder.path() + "/warpwright-scratch-" + tag_of_ended_process() + "-abcdef";
    write_text(left + "/deep/kernel.cu", "half");
    fs::create_directory_symlink("/", folder.path() + "/warpwright-scratch-" + tag_of_ended_process() + "-link00");
    CHECK(fs::is_directory(own.path()));
    CHECK(remove_abandoned_scratch() == 1);
    CHECK(fs::is_directory(own.path()));
    CHECK_FALSE(fs::exists(left));
  }
  CHECK(fs::is_directory("/usr"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}
