// SPDX-License-Identifier: Apache-2.0
// Where the .global and .const variables of a module are.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/ptx/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace warpwright::emulator {

/// Both spaces lie in global memory, and an address in either is a generic one.
class ModuleMemory {
 public:
  /// Allocates and fills them: what has no initial value is zero (PTX ISA 9.0, "Initializers").
  /// Errors    ptx.unsupported-variable: an initial value that is the address of a function or of shared memory;
  ///           memory.out-of-memory: more than 2 GiB, or than the host has.
  Error place(const ptx::Module &module, GlobalMemory &memory);
  void release(GlobalMemory &memory);
  /// By Module::variables; 0: a variable of another space, or one that is defined elsewhere.
  std::span<const uint64_t> addresses() const { return addresses_; }

 private:
  std::vector<uint64_t> addresses_;
};

}  // namespace warpwright::emulator
