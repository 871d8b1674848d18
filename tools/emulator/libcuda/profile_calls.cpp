// SPDX-License-Identifier: Apache-2.0
// The profile of a launch, through the driver's face.
#include "tools/emulator/libcuda/state.h"

namespace warpwright::emulator::driver {

std::vector<profile::Entry> &last_profile() {
  thread_local std::vector<profile::Entry> entries;
  return entries;
}

}  // namespace warpwright::emulator::driver

using namespace warpwright::emulator::driver;

extern "C" void wwEmulatorRecordProfiles(int records) {
  State &state = State::instance();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.options.profiles = records != 0;
}

extern "C" CUresult wwEmulatorLastProfile(size_t index, ww_emulator_profile_row_t *row) {
  const auto &entries = last_profile();
  if (entries.empty()) return CUDA_ERROR_NOT_FOUND;
  if (!row || index >= entries.size()) return CUDA_ERROR_INVALID_VALUE;
  const auto &entry = entries[index];
  *row = {entry.opcode.c_str(), entry.file.c_str(), entry.ptx_line, entry.source_line, static_cast<uint32_t>(entry.cause), entry.counters};
  return CUDA_SUCCESS;
}
