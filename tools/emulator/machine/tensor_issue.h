// SPDX-License-Identifier: Apache-2.0
// What the tcgen05 instructions share: where one was issued, which CTAs work on it, which columns it may touch.
#pragma once

#include "tools/emulator/machine/forms.h"
#include "tools/emulator/machine/issue.h"
#include "tools/emulator/tensor/mma.h"

#include <array>

namespace warpwright::emulator {

/// With the CTAs that work on it: one, or the pair, the even one first.
struct TensorIssue : Issue {
  std::array<Cta *, 2> ctas{};
  uint32_t cta_group = 1;

  TensorIssue(Execution &x, uint32_t group) : Issue(x), cta_group(group) {
    ctas[0] = group == 1 ? cta : cluster->ctas[cta->rank & ~1u].get();
    if (group == 2) ctas[1] = cluster->ctas[cta->rank | 1u].get();
  }
  uint32_t pipe() const { return ctas[0]->rank; }
  /// An access to tensor memory of one CTA, in use until `epoch` is observed.
  void touch(const Cta &of, const tensor::TensorRange &range, bool is_write, race::Kind kind, race::Epoch epoch, uint32_t object = 0) const {
    const uint32_t last = (range.lane + range.lanes - 1) / 32;
    const auto quarters = static_cast<uint16_t>((2u << last) - (1u << range.lane / 32));
    if (const Error error = cluster->races->touch_tensor(actor(), of.rank, {range.col, range.cols, quarters}, is_write, kind, epoch, object))
      note(error);
  }
  /// Columns that an operation in flight writes: `change` is 1 at its issue and -1 at its end.
  static void count_writes(Cta &of, const std::vector<tensor::TensorRange> &writes, int change) {
    for (const tensor::TensorRange &range : writes)
      for (uint32_t c = range.col; c < range.col + range.cols; ++c)
        of.tensor.async_writes[c] = static_cast<uint16_t>(of.tensor.async_writes[c] + change);
  }
  template <class Function> void each_cta(Function function) const {
    for (uint32_t i = 0; i < cta_group; ++i) function(*ctas[i]);
  }
};

/// cta_group::2 needs a CTA of either rank; every tcgen05 instruction of a kernel has one group.
inline bool has_group(Execution &x, uint32_t group) {
  if (group == 1 || (x.cta.rank | 1u) < x.cluster.ctas.size()) return true;
  x.note("tcgen05.no-pair", "cta_group::2 in a cluster in which this CTA has no peer");
  return false;
}

inline bool is_one_lane(Execution &x) {
  if ((x.mask & (x.mask - 1)) == 0) return true;
  x.note("tcgen05.many-lanes", std::to_string(__builtin_popcount(x.mask)) + " lanes issue what one thread issues");
  return false;
}

inline Error check_columns(const TensorState &tensor, uint32_t col, uint32_t cols, bool allows_writes) {
  for (uint32_t c = col; c < col + cols && c < TensorMemory::kCols; ++c) {
    if (!tensor.is_allocated[c]) return {"tmem.not-allocated", "uses column " + std::to_string(c) + ", which is not allocated"};
    if (!allows_writes && tensor.async_writes[c])
      return {"race.tmem-while-written", "uses column " + std::to_string(c) + ", which tensor work still writes"};
  }
  return {};
}

}  // namespace warpwright::emulator
