// SPDX-License-Identifier: Apache-2.0
// Tables of the two memories, and the errors that show them.
#include "generator/plan/budget.h"

#include "generator/support/text_table.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::plan {
namespace {

using support::Align;
using support::format_bytes;
using support::format_thousands;

/// Bytes of one tensor-memory column: 128 lanes of 32 bits. PTX ISA 9.0, "Tensor Memory".
constexpr int64_t kColumnBytes = 512;

std::string cols(int64_t count) { return format_thousands(count); }

std::string value_text(const std::string &path, const spec::KernelSpec &spec) {
  const auto found = spec.values.find(path);
  return found == spec.values.end() ? "" : found->second.to_json();
}

support::Diagnostic make_error(const std::string &slug, const std::string &path, const spec::KernelSpec &spec) {
  support::Diagnostic error;
  error.slug = slug;
  error.path = path;
  const auto found = spec.values.find(path);
  if (found != spec.values.end()) error.where = found->second.where;
  return error;
}

}  // namespace

int64_t MemorySizes::excess_bytes() const {
  return std::max<int64_t>(0, -smem_slack_bytes()) + std::max<int64_t>(0, tmem_cols - tmem_limit_cols) * kColumnBytes;
}

int64_t padding_bytes(const SmemRegion &region) { return (region.stride_bytes - region.stage_bytes) * region.stages; }

std::string smem_table(const SmemPlan &smem) {
  support::TextTable table;
  table.add_column("offset", Align::kRight);
  table.add_column("region");
  table.add_column("bytes/stage", Align::kRight);
  table.add_column("stages", Align::kRight);
  table.add_column("align", Align::kRight);
  table.add_column("padding", Align::kRight);
  table.add_column("bytes", Align::kRight);
  int64_t end_bytes = 0;
  int64_t padding = 0;
  for (const SmemRegion &region : smem.regions) {
    const int64_t gap = std::max<int64_t>(0, region.offset_bytes - end_bytes);
    const int64_t pad = padding_bytes(region) + gap;
    padding += pad;
    end_bytes = std::max(end_bytes, region.offset_bytes + region.total_bytes());
    table.add_row({format_thousands(region.offset_bytes), region.name, format_thousands(region.stage_bytes),
                   format_thousands(region.stages), format_thousands(region.align_bytes), format_thousands(pad),
                   format_thousands(region.total_bytes())});
  }
  table.add_rule();
  table.add_row({"", "total", "", "", "", format_thousands(padding), format_thousands(smem.used_bytes)});
  table.add_row({"", "limit", "", "", "", "", format_thousands(smem.limit_bytes)});
  const int64_t slack = smem.slack_bytes();
  table.add_row({"", slack < 0 ? "over by" : "slack", "", "", "", "", format_thousands(std::max(slack, -slack))});
  return table.render();
}

std::string tmem_table(const TmemPlan &tmem) {
  support::TextTable table;
  table.add_column("columns");
  table.add_column("range");
  table.add_column("cols", Align::kRight);
  table.add_column("holds");
  for (const TmemRange &range : tmem.ranges) {
    std::string text = range.text;
    if (!range.parts.empty()) text += " (" + support::join_words(range.parts) + ")";
    table.add_row(
        {fmt::format("[{}, {})", range.first_col, range.first_col + range.cols), range.name, cols(range.cols), text});
  }
  for (const TmemPart &part : tmem.parts)
    table.add_row({fmt::format("[{}, {})", part.first_col, part.first_col + part.cols), "  part " + part.name,
                   cols(part.cols), ""});
  table.add_rule();
  table.add_row({fmt::format("[0, {})", tmem.used_cols), "total", cols(tmem.used_cols),
                 fmt::format("{} allocated of {}", cols(tmem.alloc_cols), cols(tmem.limit_cols))});
  return table.render();
}

void report_over_budget(const Budget &budget, const spec::KernelSpec &spec, const std::string &depth_path,
                        support::Diagnostics &diagnostics) {
  if (budget.smem.slack_bytes() < 0) {
    support::Diagnostic error = make_error("plan.smem-over-budget", depth_path, spec);
    error.message = fmt::format("{} stages need {} of shared memory; {} allows {} per CTA (over by {})",
                                value_text(depth_path, spec), format_bytes(budget.smem.used_bytes), spec.arch,
                                format_bytes(budget.smem.limit_bytes), format_bytes(-budget.smem.slack_bytes()));
    error.notes.push_back(smem_table(budget.smem));
    diagnostics.add(std::move(error));
  }
  if (budget.tmem.used_cols > budget.tmem.limit_cols) {
    support::Diagnostic error = make_error("plan.tmem-over-budget", "accumulators", spec);
    error.message = fmt::format("the accumulators and scales need {} columns of tensor memory; {} has {} (over by {})",
                                cols(budget.tmem.used_cols), spec.arch, cols(budget.tmem.limit_cols),
                                cols(budget.tmem.used_cols - budget.tmem.limit_cols));
    error.notes.push_back(tmem_table(budget.tmem));
    diagnostics.add(std::move(error));
  }
}

}  // namespace warpwright::plan
