// SPDX-License-Identifier: Apache-2.0
// Allocation and initial values of a module's variables.
#include "tools/emulator/machine/module_memory.h"

#include <algorithm>
#include <cstring>

namespace warpwright::emulator {

namespace {

/// Nothing of the device: so that no text takes all of the host's memory.
constexpr uint64_t kMostBytes = uint64_t{2} << 30;

bool is_placed(const ptx::Variable &variable) {
  return (variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst) && !variable.is_extern && variable.bytes > 0;
}

}  // namespace

Error ModuleMemory::place(const ptx::Module &module, GlobalMemory &memory) {
  addresses_.assign(module.variables.size(), 0);
  uint64_t all = 0;
  for (const ptx::Variable &variable : module.variables)
    if (is_placed(variable)) all += variable.bytes;
  if (all > kMostBytes) return {"memory.out-of-memory", "the module has variables of " + std::to_string(all) + " bytes; at most " + std::to_string(kMostBytes) + " are placed"};
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable &variable = module.variables[i];
    if (!is_placed(variable)) continue;
    addresses_[i] = memory.allocate(variable.bytes);
    uint8_t *data = addresses_[i] ? memory.resolve(addresses_[i], variable.bytes) : nullptr;
    if (!data) {
      release(memory);
      return {"memory.out-of-memory", "no room for the " + std::to_string(variable.bytes) + " bytes of variable " + variable.name};
    }
    std::memset(data, 0, variable.bytes);
    std::copy(variable.initial.begin(), variable.initial.end(), data);
  }
  for (size_t i = 0; i < module.variables.size(); ++i)
    for (const ptx::Relocation &relocation : module.variables[i].relocations) {
      const uint64_t target = relocation.is_function ? 0 : addresses_[relocation.index];
      uint8_t *data = addresses_[i] ? memory.resolve(addresses_[i] + relocation.offset, relocation.bytes) : nullptr;
      if (!target || !data) {
        release(memory);
        return {"ptx.unsupported-variable", "an initial value of " + module.variables[i].name + " is no address of a .global or .const variable"};
      }
      const uint64_t value = (target + static_cast<uint64_t>(relocation.addend)) >> relocation.shift;
      std::memcpy(data, &value, std::min<size_t>(relocation.bytes, sizeof value));
    }
  return {};
}

void ModuleMemory::release(GlobalMemory &memory) {
  for (const uint64_t address : addresses_)
    if (address) memory.release(address);
  addresses_.clear();
}

}  // namespace warpwright::emulator
