// SPDX-License-Identifier: Apache-2.0
// Folders that look like CUDA installations, environment variables and scratch places, all gone after a test.
#pragma once

#include <string>
#include <vector>

namespace warpwright::compile_test {

/// A folder below $TMPDIR or /tmp, removed with the object.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

/// Sets an environment variable and restores it.
class Variable {
 public:
  Variable(const std::string &name, const std::string &value);
  ~Variable();
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

 private:
  std::string name_, old_;
  bool had_;
};

/// Writes `<folder>/bin/nvcc`, a shell script that prints `version` for --version and runs `body` otherwise. In it,
/// "$source" and "$stem" are the last argument and its name without .cu.
void write_stub_nvcc(const std::string &folder, const std::string &version, const std::string &body);

/// A stub body that "compiles": PTX and cubin are made of the source, and the log has figures of kernel `k`.
extern const char kCompilingBody[];

/// Everything below `folder` with its bytes, for comparisons: "relative/path=content".
std::vector<std::string> listing(const std::string &folder);

std::string read_text(const std::string &file);
void write_text(const std::string &file, const std::string &text);

}  // namespace warpwright::compile_test
