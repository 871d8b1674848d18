// SPDX-License-Identifier: Apache-2.0
// Predictions as text and JSON.
#include "generator/laws/prediction.h"

#include "generator/plan/json_writer.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

namespace warpwright::laws {

Prediction predict(const plan::OperatorPlan &plan, const target::SmTarget &target, const plan::Scorer &scorer,
                   const std::map<std::string, int64_t> &shape) {
  Prediction prediction;
  prediction.shape = shape;
  prediction.waves = count_waves(plan, 0, target, shape);
  prediction.memory_bytes = tensor_bytes(plan, target, shape);
  const plan::KernelPlan &kernel = plan.kernels.front();
  const double cta_tile_bytes = tile_clocks(plan::work_of(kernel), target, Reading::kCentral).fill_bytes;
  prediction.fill_bytes = static_cast<int64_t>(cta_tile_bytes) * kernel.cta_group * prediction.waves.tiles;
  prediction.score = scorer.score(plan::work_of(plan), target, shape);
  prediction.product = target.product;
  return prediction;
}

std::string prediction_text(const Prediction &prediction) {
  std::string shape;
  for (const auto &[name, value] : prediction.shape)
    shape += fmt::format("{}{} = {}", shape.empty() ? "" : ", ", name, support::format_thousands(value));
  const auto &score = prediction.score;
  const Waves &waves = prediction.waves;
  std::string text = fmt::format("Launch for {} on {}\n", shape, prediction.product);
  text += fmt::format(
      "  {} tiles on {} CTA groups: {:.2f} waves, {} tiles for the busiest; {:.0f} % of the groups' time "
      "is tiles\n",
      support::format_thousands(waves.tiles), waves.groups, waves.waves, waves.rounds,
      100.0 * waves.waves / static_cast<double>(waves.rounds));
  text += fmt::format("  memory {}, each tensor once; L2 delivers {}\n", support::format_bytes(prediction.memory_bytes),
                      support::format_bytes(prediction.fill_bytes));
  text +=
      fmt::format("Predicted, not measured: {:.1f} us ({:.1f} to {:.1f}) at {:.2f} GHz, launch excluded; bound by {}\n",
                  score.us, score.low_us, score.high_us, score.clock_ghz, score.bound);
  support::TextTable table;
  table.add_column("");
  table.add_column("", support::Align::kRight);
  for (const auto &[part, us] : score.parts_us) table.add_row({part, fmt::format("{:.1f} us", us)});
  return text + table.render();
}

std::string prediction_json(const Prediction &prediction) {
  plan::JsonWriter out;
  const auto &score = prediction.score;
  out.begin_object();
  out.integer_map("shape", prediction.shape);
  out.text("product", prediction.product);
  out.integer("output_tiles", prediction.waves.tiles);
  out.integer("cta_groups", prediction.waves.groups);
  out.integer("busiest_group_tiles", prediction.waves.rounds);
  out.number("waves", prediction.waves.waves);
  out.integer("memory_bytes", prediction.memory_bytes);
  out.integer("l2_bytes", prediction.fill_bytes);
  out.boolean("measured", false);
  out.number("predicted_us", score.us);
  out.number("predicted_low_us", score.low_us);
  out.number("predicted_high_us", score.high_us);
  out.number("clock_ghz", score.clock_ghz);
  out.text("bound", score.bound);
  out.begin_object("parts_us");
  for (const auto &[part, us] : score.parts_us) out.number(part, us);
  out.end_object();
  out.end_object();
  return out.take();
}

}  // namespace warpwright::laws
