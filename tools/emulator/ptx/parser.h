// SPDX-License-Identifier: Apache-2.0
// Reads the PTX text that ptxas is given.
#pragma once

#include "tools/emulator/ptx/module.h"

#include <string_view>

namespace warpwright::emulator::ptx {

/// What is wrong with a text, and where. Lines and columns count from 1.
struct ParseError {
  std::string slug;  ///< "ptx.unknown-directive"
  std::string text;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Either a module or an error.
struct ParseResult {
  std::optional<Module> module;
  ParseError error;
};

/// Parses a PTX file. Names of registers, labels and variables are lexically scoped, a label may be used before it stands.
///
/// Errors    ptx.syntax, ptx.unknown-directive, ptx.unsupported-directive, ptx.unknown-name, ptx.duplicate-name, ptx.number,
///           ptx.too-large (more than 64 MiB of text, a million registers, 64 levels of braces). Nothing is skipped but the
///           inside of debug sections: a token without meaning here is an error. Opcodes are not looked up; the machine
///           refuses those that it does not have.
/// Threads   any number at once.
ParseResult parse(std::string_view text);

}  // namespace warpwright::emulator::ptx
