// SPDX-License-Identifier: Apache-2.0
// Stub installations for tests.
#include "tests/unit/compile/stub_cuda.h"

#include "generator/support/files.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace warpwright::compile_test {

namespace fs = std::filesystem;

TestFolder::TestFolder() {
  std::string form = (fs::temp_directory_path() / "warpwright-test-XXXXXX").string();
  if (::mkdtemp(form.data()) == nullptr) throw std::runtime_error("cannot make " + form);
  path_ = form;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Variable::Variable(const std::string &name, const std::string &value) : name_(name) {
  const char *old = ::getenv(name.c_str());
  had_ = old != nullptr;
  old_ = had_ ? old : "";
  ::setenv(name.c_str(), value.c_str(), 1);
}

Variable::~Variable() {
  if (had_) {
    ::setenv(name_.c_str(), old_.c_str(), 1);
  } else {
    ::unsetenv(name_.c_str());
  }
}

void write_stub_nvcc(const std::string &folder, const std::string &version, const std::string &body) {
  const std::string file = folder + "/bin/nvcc";
  write_text(file,
             "#!/bin/sh\n"
             "if [ \"$1\" = --version ]; then\n"
             "  echo 'Cuda compilation tools, release " +
                 version.substr(0, version.rfind('.')) + ", V" + version +
                 "'\n  exit 0\nfi\n"
                 "for source; do :; done\nstem=${source%.cu}\n" +
                 body);
  ::chmod(file.c_str(), 0755);
}

const char kCompilingBody[] =
    "{ echo '// ptx of'; cat \"$source\"; } > \"$stem.ptx\"\n"
    "{ cat \"$source\"; echo '// cubin'; cat \"$source\"; } > out.cubin\n"
    "echo \"ptxas info    : Compiling entry function 'k' for 'sm_100a'\"\n"
    "echo 'ptxas info    : Function properties for k'\n"
    "echo '    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'\n"
    "echo 'ptxas info    : Used 10 registers, used 1 barriers'\n";

std::vector<std::string> listing(const std::string &folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(fs::relative(entry.path(), folder).string() + "=" + read_text(entry.path().string()));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_text(const std::string &file) {
  std::string why;
  std::optional<std::string> text = support::read_file(file, why);
  if (!text) throw std::runtime_error(file + ": " + why);
  return *text;
}

void write_text(const std::string &file, const std::string &text) {
  std::string why;
  fs::create_directories(fs::path(file).parent_path());
  if (!support::write_file(file, text, why)) throw std::runtime_error(file + ": " + why);
}

}  // namespace warpwright::compile_test
