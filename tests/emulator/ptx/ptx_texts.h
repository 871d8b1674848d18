// SPDX-License-Identifier: Apache-2.0
// PTX texts around what a test is about.
#pragma once

#include "tests/catch.h"
#include "tools/emulator/ptx/parser.h"

#include <string>

inline std::string header() { return ".version 9.0\n.target sm_100a\n.address_size 64\n"; }

/// A kernel whose body begins on line 7, with ten registers of each width and a shared array.
inline std::string with_body(const std::string &body) {
  std::string out = header();
  out += ".entry k(.param .u64 first)\n{ .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .pred %p<10>; .reg .f32 %f<10>;\n";
  out += ".reg .b16 %rs<10>; .reg .b128 q; .shared .align 16 .b8 tile[64];\n";
  return out + body + "\n}\n";
}

inline warpwright::emulator::ptx::Module parse_or_fail(const std::string &text) {
  warpwright::emulator::ptx::ParseResult result = warpwright::emulator::ptx::parse(text);
  INFO(result.error.line << ":" << result.error.column << ": " << result.error.slug << ": " << result.error.text);
  REQUIRE(result.module.has_value());
  return std::move(*result.module);
}
