// SPDX-License-Identifier: Apache-2.0
// Look-up of instruction forms.
#include "tools/emulator/machine/forms.h"

#include <algorithm>
#include <unordered_map>

namespace warpwright::emulator {

namespace {

const std::unordered_map<std::string_view, std::vector<const Form *>> &table() {
  static const auto forms = [] {
    std::unordered_map<std::string_view, std::vector<const Form *>> all;
    for (const auto part : {integer_forms(), integer_more_forms(), float_forms(), half_forms(), convert_forms(), narrow_forms(),
                            control_forms(), memory_forms(), matrix_forms(), copy_async_forms(), barrier_forms(), bulk_forms(),
                            tensor_forms(), tensor_memory_forms(), wgmma_forms(), register_forms(), async_forms(),
                            cancel_forms(), wide_forms(), call_forms(), matrix_byte_forms(), mma_forms()})
      for (const Form &form : part) all[form.opcode].push_back(&form);
    return all;
  }();
  return forms;
}

}  // namespace

const std::vector<const Form *> &find_forms(std::string_view opcode) {
  static const std::vector<const Form *> none;
  const auto found = table().find(opcode);
  return found == table().end() ? none : found->second;
}

std::vector<const Form *> all_forms() {
  std::vector<const Form *> all;
  for (const auto &[opcode, forms] : table()) all.insert(all.end(), forms.begin(), forms.end());
  std::stable_sort(all.begin(), all.end(), [](const Form *a, const Form *b) { return a->opcode < b->opcode; });
  return all;
}

bool find_shared(Execution &x, uint64_t address, uint32_t bytes, uint32_t align, Cta **cta, uint32_t *offset) {
  *cta = x.cluster.cta_of(address);
  *offset = Cluster::offset_of(address);
  // Every lane of every access comes by here: no text unless it is said.
  const auto at = [&] { return std::to_string(bytes) + " bytes at shared offset " + std::to_string(*offset); };
  if (!*cta || !(*cta)->shared.contains(*offset, bytes) || *offset < kReservedSharedBytes) {
    x.note("memory.out-of-bounds", at() + (*cta ? " of " + std::to_string((*cta)->shared.size_bytes()) : " of no CTA"));
    return false;
  }
  if (*offset % align) {
    x.note("memory.misaligned", at() + ", which must be aligned to " + std::to_string(align));
    return false;
  }
  return true;
}

void touch_shared(Execution &x, Cta &cta, ByteRange range, bool is_write, race::Kind kind) {
  if (x.cluster.state.options.checks_memory) {
    SharedMemory &shared = cta.shared;
    const Error error = is_write ? shared.write(range.offset, range.bytes) : shared.read(range.offset, range.bytes);
    if (error) x.note(error);
  }
  if (!x.cluster.races) return;
  if (const Error error = x.cluster.races->touch(x.actor(), cta.rank, range, is_write, kind)) x.note(error);
}

}  // namespace warpwright::emulator
