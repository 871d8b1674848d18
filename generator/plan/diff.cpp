// SPDX-License-Identifier: Apache-2.0
// Two plans flattened into named figures and merged.
#include "generator/plan/diff.h"

#include <algorithm>

namespace warpwright::plan {
namespace {

using Figure = std::pair<std::string, int64_t>;

std::vector<Figure> figures_of(const KernelPlan &kernel) {
  std::vector<Figure> figures = {{"shared memory, bytes", kernel.smem.used_bytes},
                                 {"shared memory slack, bytes", kernel.smem.slack_bytes()}};
  for (const SmemRegion &region : kernel.smem.regions) {
    figures.push_back({"region " + region.name + ", bytes a stage", region.stage_bytes});
    figures.push_back({"region " + region.name + ", stages", region.stages});
  }
  figures.push_back({"tensor memory, columns", kernel.tmem.used_cols});
  for (const TmemRange &range : kernel.tmem.ranges) {
    figures.push_back({"range " + range.name + ", first column", range.first_col});
    figures.push_back({"range " + range.name + ", columns", range.cols});
  }
  for (const Channel &channel : kernel.channels)
    figures.push_back({"channel " + channel.name + ", slots", channel.depth});
  for (const Barrier &barrier : kernel.barriers) {
    figures.push_back({"barrier " + barrier.name + ", arrivals", barrier.arrivals});
    std::map<std::string, int64_t> bytes;
    for (const ExpectedBytes &expect : barrier.expects) bytes[expect.payload] += expect.bytes;
    for (const auto &[payload, sum] : bytes)
      figures.push_back({"barrier " + barrier.name + ", bytes of " + payload, sum});
  }
  for (const MmaSlots &slots : kernel.mma) figures.push_back({"MMA " + slots.kind + ", clocks a tile", slots.clocks});
  figures.push_back({"threads", kernel.launch.threads});
  return figures;
}

std::optional<int64_t> find_figure(const std::vector<Figure> &figures, const std::string &what) {
  for (const Figure &figure : figures)
    if (figure.first == what) return figure.second;
  return std::nullopt;
}

}  // namespace

std::vector<FieldChange> diff_fields(const spec::KernelSpec &before, const spec::KernelSpec &after) {
  std::vector<FieldChange> changes;
  if (before.arch != after.arch) changes.push_back({"arch", before.arch, after.arch});
  if (before.family != after.family) changes.push_back({"family", before.family, after.family});
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto &[path, value] : before.values) values[path].first = value.to_json();
  for (const auto &[path, value] : after.values) values[path].second = value.to_json();
  for (const auto &[path, sides] : values)
    if (sides.first != sides.second) changes.push_back({path, sides.first, sides.second});
  return changes;
}

std::vector<FigureChange> diff_figures(const OperatorPlan &before, const OperatorPlan &after) {
  std::vector<FigureChange> changes;
  for (size_t i = 0; i < std::max(before.kernels.size(), after.kernels.size()); ++i) {
    std::vector<Figure> old_figures;
    std::vector<Figure> new_figures;
    if (i < before.kernels.size()) old_figures = figures_of(before.kernels[i]);
    if (i < after.kernels.size()) new_figures = figures_of(after.kernels[i]);
    for (const Figure &figure : old_figures) {
      const auto now = find_figure(new_figures, figure.first);
      if (now != figure.second) changes.push_back({figure.first, figure.second, now});
    }
    for (const Figure &figure : new_figures)
      if (!find_figure(old_figures, figure.first)) changes.push_back({figure.first, std::nullopt, figure.second});
  }
  return changes;
}

}  // namespace warpwright::plan
