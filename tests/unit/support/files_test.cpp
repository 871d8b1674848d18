// SPDX-License-Identifier: Apache-2.0
// Tests of generator/support/files.
#include "generator/support/files.h"

#include "tests/catch.h"
#include "tests/unit/support/temporary_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

using namespace warpwright::support;
using warpwright::tests::TemporaryFolder;

TEST_CASE("files: what is written is read back, zero bytes included") {
  const TemporaryFolder folder;
  const std::string file = folder.file("x.bin");
  std::string why;
  std::string bytes("a\0b\n", 4);
  REQUIRE(write_file(file, bytes, why));
  CHECK(read_file(file, why) == std::optional<std::string>(bytes));
  bytes = "shorter";
  REQUIRE(write_file(file, bytes, why));
  CHECK(read_file(file, why) == std::optional<std::string>(bytes));
  CHECK(folder.count() == 1);  // nothing staged is left
}

TEST_CASE("files: reading says why it failed") {
  const TemporaryFolder folder;
  std::string why;
  CHECK_FALSE(read_file(folder.file("absent"), why));
  CHECK(why == "No such file or directory");
  CHECK_FALSE(read_file(folder.path(), why));
  CHECK(why == "it is a folder");
  REQUIRE(write_file(folder.file("long"), std::string(100, 'x'), why));
  CHECK_FALSE(read_file(folder.file("long"), why, 99));
  CHECK_THAT(why, Catch::Contains("99 bytes"));
  CHECK(read_file(folder.file("long"), why, 100));
}

TEST_CASE("files: a refused or failed write changes nothing and leaves nothing") {
  const TemporaryFolder folder;
  const std::string file = folder.file("x");
  std::string why;
  REQUIRE(write_file(file, "mine", why, IfExists::kRefuse));
  CHECK_FALSE(write_file(file, "theirs", why, IfExists::kRefuse));
  CHECK(why == "File exists");
  CHECK(*read_file(file, why) == "mine");
  CHECK_FALSE(write_file(folder.file("no/such/folder"), "x", why));
  CHECK_FALSE(write_file(folder.path(), "x", why));
  CHECK(folder.count() == 1);
}

TEST_CASE("files: a pipe's text is given twice, and a device without an end is refused") {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  std::string why;
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::string unused;
    CHECK(write_file(pipe, "once", unused));
  });
  CHECK(read_file(pipe, why) == std::optional<std::string>("once"));
  writer.join();
  CHECK(read_file(pipe, why) == std::optional<std::string>("once"));
  CHECK_FALSE(read_file("/dev/zero", why));
  CHECK_THAT(why, Catch::Contains("longer than"));
}

TEST_CASE("files: a symbolic link that leads nowhere is not replaced") {
  const TemporaryFolder folder;
  const std::string link = folder.file("link");
  std::string why;
  for (const std::string &target : {link, folder.file("absent")}) {
    REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
    CHECK_FALSE(write_file(link, "x", why));
    CHECK_THAT(why, Catch::Contains("symbolic link"));
    CHECK(folder.count() == 1);
    REQUIRE(::unlink(link.c_str()) == 0);
  }
}

TEST_CASE("files: equal bytes leave the file's time alone") {
  const TemporaryFolder folder;
  const std::string file = folder.file("x");
  std::string why;
  REQUIRE(write_file(file, "same", why));
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), old, 0) == 0);
  const auto modified = [&] {
    struct stat status {};
    ::stat(file.c_str(), &status);
    return status.st_mtime;
  };
  REQUIRE(write_file(file, "same", why, IfExists::kKeepIfEqual));
  CHECK(modified() == 1000);
  REQUIRE(write_file(file, "other", why, IfExists::kKeepIfEqual));
  CHECK(modified() != 1000);
}

TEST_CASE("files: permissions and symbolic links survive a replacement; devices are written directly") {
  const TemporaryFolder folder;
  const std::string file = folder.file("x");
  const std::string link = folder.file("link");
  std::string why;
  REQUIRE(write_file(file, "a", why));
  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  REQUIRE(::symlink(file.c_str(), link.c_str()) == 0);
  REQUIRE(write_file(link, "b", why));
  struct stat status {};
  REQUIRE(::lstat(link.c_str(), &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(*read_file(file, why) == "b");
  CHECK(write_file("/dev/null", "x", why));
  CHECK_FALSE(write_file("/dev/full", "x", why));
}

TEST_CASE("files: a reader sees whole files while writers race") {
  const TemporaryFolder folder;
  const std::string file = folder.file("x");
  std::string why;
  REQUIRE(write_file(file, std::string(50000, 'a'), why));
  std::atomic<bool> done{false};
  std::vector<std::thread> writers;
  for (const char c : {'a', 'b'}) {
    writers.emplace_back([&, c] {
      std::string reason;
      for (int i = 0; i < 200; ++i) write_file(file, std::string(50000, c), reason);
      done = true;
    });
  }
  size_t torn = 0;
  while (!done) {
    const auto text = read_file(file, why);
    if (!text || text->size() != 50000 || text->find_first_not_of((*text)[0]) != std::string::npos) ++torn;
  }
  for (std::thread &writer : writers) writer.join();
  CHECK(torn == 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("files: folders are made with their parents, unless a file is in the way") {
  const TemporaryFolder folder;
  std::string why;
  CHECK(make_folders(folder.file("a/b/c"), why));
  CHECK(is_folder(folder.file("a/b")));
  CHECK(make_folders(folder.file("a/b/c"), why));
  REQUIRE(write_file(folder.file("f"), "", why));
  CHECK(is_file(folder.file("f")));
  CHECK_FALSE(make_folders(folder.file("f"), why));
  CHECK_FALSE(make_folders(folder.file("f/g"), why));
  CHECK_FALSE(why.empty());
}
