// SPDX-License-Identifier: Apache-2.0
// The verb `pack`: its table and JSON; the work is in tools/pack.
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/support/json_text.h"
#include "generator/support/text_table.h"
#include "tools/cli/interruption.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"
#include "tools/pack/job.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

using support::Align;

std::string group_of(const pack::LayerReport &layer) {
  return layer.group == w4a8_gemm::kPerChannel ? "channel" : std::to_string(layer.group);
}

std::string split_of(const pack::LayerReport &layer) {
  return layer.split == pack::Split::kColumn ? "column" : layer.split == pack::Split::kRow ? "row" : "none";
}

std::string table_of(const pack::Report &report, const pack::Options &options) {
  support::TextTable table;
  table.add_column("layer");
  table.add_column("source");
  for (const char *heading : {"N", "K", "group"}) table.add_column(heading, Align::kRight);
  if (options.ranks > 1) table.add_column("split");
  if (options.check)
    for (const char *heading : {"max error", "rms error", "relative", "cosine", "clipped"}) table.add_column(heading, Align::kRight);
  for (const pack::LayerReport &item : report.layers) {
    std::vector<std::string> cells = {item.name, item.source, std::to_string(item.n), std::to_string(item.k), group_of(item)};
    if (options.ranks > 1) cells.push_back(split_of(item));
    if (item.errors) {
      cells.push_back(fmt::format("{:.3g}", item.errors->max_error()));
      cells.push_back(fmt::format("{:.3g}", item.errors->rms_error()));
      cells.push_back(fmt::format("{:.2f} %", 100 * item.errors->relative_error()));
      cells.push_back(fmt::format("{:.5f}", item.errors->cosine()));
      cells.push_back(fmt::format("{:.3f} %", 100 * item.errors->clipped_share()));
    }
    table.add_row(std::move(cells));
  }
  return table.render();
}

std::string json_of(const pack::Report &report, const pack::Options &options) {
  std::string layers;
  for (const pack::LayerReport &item : report.layers) {
    layers += fmt::format("{}\n    {{\"name\": {}, \"source\": {}, \"n\": {}, \"k\": {}, \"group\": \"{}\", \"split\": \"{}\"",
                          layers.empty() ? "" : ",", support::json_quote(item.name), support::json_quote(item.source),
                          item.n, item.k, group_of(item), split_of(item));
    if (item.errors)
      layers += fmt::format(R"(, "max_error": {}, "rms_error": {}, "relative_error": {}, "cosine": {}, "clipped_share": {})",
                            support::json_number(item.errors->max_error()), support::json_number(item.errors->rms_error()),
                            support::json_number(item.errors->relative_error()), support::json_number(item.errors->cosine()),
                            support::json_number(item.errors->clipped_share()));
    layers += "}";
  }
  return fmt::format("{{\n  \"output\": {},\n  \"written\": {},\n  \"other_tensors\": {},\n  \"layers\": [{}\n  ]\n}}\n",
                     support::json_quote(options.output), !options.dry_run, report.other_tensors, layers);
}

}  // namespace

int run_pack(const pack::Options &options) {
  support::Diagnostics diagnostics;
  const InterruptScope interrupts;
  const std::optional<pack::Report> report = pack::run(options, [] { return InterruptScope::is_interrupted(); }, diagnostics);
  const int code = finish(diagnostics, format_of(options.json));
  if (!report) return code;
  if (report->is_interrupted) {
    fmt::print(stderr, "interrupted; nothing was written\n");
    return static_cast<int>(support::Exit::kInterrupted);
  }
  if (options.json) {
    fmt::print("{}", json_of(*report, options));
    return code;
  }
  fmt::print("{}{}: {} layers {}, {} other tensors as they are\n", table_of(*report, options), options.output, report->layers.size(),
             options.dry_run ? "would be quantised" : "quantised", report->other_tensors);
  return code;
}

}  // namespace warpwright::cli
