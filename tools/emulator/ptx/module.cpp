// SPDX-License-Identifier: Apache-2.0
// Looks into a parsed module.
#include "tools/emulator/ptx/module.h"

namespace warpwright::emulator::ptx {

const Kernel *Module::find_kernel(const std::string &name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace warpwright::emulator::ptx
