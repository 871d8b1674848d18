// SPDX-License-Identifier: Apache-2.0
// Runs a kernel that a test writes in PTX.
#pragma once

#include "tools/emulator/machine/launch.h"
#include "tools/emulator/ptx/parser.h"

#include <cstring>
#include <string>
#include <vector>

namespace warpwright::emulator::tests {

/// A module of one kernel `k` with 1,024 bytes of shared memory `s` and a parameter `p`: the address of `words` words. `before`
/// stands before the kernel, `tuning` before its body.
class Machine {
 public:
  explicit Machine(const std::string &body, size_t words = 1024, const std::string &before = "", const std::string &tuning = "")
      : words_(words) {
    text_ = ".version 9.0\n.target sm_100a\n.address_size 64\n" + before +
            "\n.visible .entry k(.param .u64 p)\n" + tuning + "{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %d<16>;\n"
            ".shared .align 128 .b8 s[1024];\n" + body + "\n}\n";
    auto parsed = ptx::parse(text_);
    error = parsed.error.text;
    if (!parsed.module) return;
    module_ = std::move(*parsed.module);
    launch.module = &module_;
    launch.kernel = &module_.kernels.front();
    launch.block = {32, 1, 1};
    address_ = memory.allocate(words * 4);
    uint64_t address = address_;
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &address, 8);
  }

  Report run() { return emulator::run(launch, memory, options); }
  std::vector<uint32_t> output() {
    std::vector<uint32_t> values(words_);
    std::memcpy(values.data(), memory.resolve(address_, words_ * 4), words_ * 4);
    return values;
  }
  void set_output(const std::vector<uint32_t> &values) {
    std::memcpy(memory.resolve(address_, words_ * 4), values.data(), words_ * 4);
  }
  /// The line of the text that has these words, from 1.
  uint32_t line_of(const std::string &words) const {
    const size_t at = text_.find(words);
    uint32_t line = 1;
    for (size_t i = 0; i < at && i < text_.size(); ++i) line += text_[i] == '\n';
    return line;
  }

  Launch launch;
  Options options;
  GlobalMemory memory;
  std::string error;

 private:
  std::string text_;
  ptx::Module module_;
  size_t words_;
  uint64_t address_ = 0;
};

inline bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace warpwright::emulator::tests
