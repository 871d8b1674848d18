// SPDX-License-Identifier: Apache-2.0
// Tensor-memory columns: used, allocated, and the check that ranges overlap only where their parts say so.
#include "generator/plan/tmem.h"

#include <algorithm>

namespace warpwright::plan {
namespace {

const TmemPart &part_named(const std::vector<TmemPart> &parts, const std::string &name) {
  for (const TmemPart &part : parts)
    if (part.name == name) return part;
  throw support::InternalError("no tensor-memory part \"" + name + "\"");
}

void check_parts(const TmemRange &range, const std::vector<TmemPart> &parts) {
  if (range.parts.empty()) return;
  int64_t next_col = range.first_col;
  for (const std::string &name : range.parts) {
    const TmemPart &part = part_named(parts, name);
    WARPWRIGHT_ASSERT(part.first_col == next_col, "part " + name + " leaves a gap in " + range.name);
    next_col += part.cols;
  }
  WARPWRIGHT_ASSERT(next_col == range.first_col + range.cols, "the parts of " + range.name + " do not fill it");
}

/// Columns of the parts that both ranges name.
int64_t shared_cols(const TmemRange &a, const TmemRange &b, const std::vector<TmemPart> &parts) {
  int64_t cols = 0;
  for (const std::string &name : a.parts)
    if (std::find(b.parts.begin(), b.parts.end(), name) != b.parts.end()) cols += part_named(parts, name).cols;
  return cols;
}

}  // namespace

TmemPlan plan_tmem(std::vector<TmemRange> ranges, std::vector<TmemPart> parts, int64_t limit_cols) {
  TmemPlan plan;
  plan.limit_cols = limit_cols;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const TmemRange &range = ranges[i];
    check_parts(range, parts);
    plan.used_cols = std::max(plan.used_cols, range.first_col + range.cols);
    for (size_t j = 0; j < i; ++j) {
      const int64_t overlap = std::min(range.first_col + range.cols, ranges[j].first_col + ranges[j].cols) -
                              std::max(range.first_col, ranges[j].first_col);
      WARPWRIGHT_ASSERT(std::max<int64_t>(overlap, 0) == shared_cols(range, ranges[j], parts),
                        "tensor-memory ranges " + ranges[j].name + " and " + range.name +
                            " overlap other than in the parts they share");
    }
  }
  plan.alloc_cols = 32;
  while (plan.alloc_cols < plan.used_cols) plan.alloc_cols *= 2;
  plan.ranges = std::move(ranges);
  plan.parts = std::move(parts);
  return plan;
}

}  // namespace warpwright::plan
