// SPDX-License-Identifier: Apache-2.0
// A kernel and the functions that it calls as one body.
#pragma once

#include "tools/emulator/ptx/module.h"

#include <optional>
#include <string>

namespace warpwright::emulator::ptx {

struct LinkError {
  std::string slug;  ///< empty: none
  std::string text;
  Place place;
};

struct Linked {
  std::optional<Kernel> kernel;  ///< nothing: the kernel calls nothing
  LinkError error;
};

/// Functions stand before the kernel, each once, with registers and variables of their own; Kernel::entry is where the kernel
/// begins. Their parameters and results become .param variables. A call is instructions that no text can have:
///
/// `.call.copy [to], [from], bytes`   an argument or a result
/// `.call.enter r, label`             jumps, and keeps in r where to go on
/// `.call.return r`                   goes on there
///
/// Source: PTX ISA 9.0, "call", "ret", "Abstracting the ABI".
///
/// Errors    ptx.unsupported-call: indirect, of a function without a body in this module, recursive, with arguments that are not
///           .param variables, or that stand in another basic block. ptx.operand: arguments or results that do not fit the function.
Linked link(const Module &module, const Kernel &kernel);

}  // namespace warpwright::emulator::ptx
