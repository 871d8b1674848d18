// SPDX-License-Identifier: Apache-2.0
// The sums behind a predicted time.
#include "generator/laws/closed_form.h"

#include "runtime/format/expression.h"

#include <algorithm>

namespace warpwright::laws {
namespace {

using plan::KernelPlan;
using plan::OperatorPlan;
using target::SmTarget;

/// Copies that no swizzle arranges for the tensor core are what tcgen05.cp moves to tensor memory: scales.
double scale_bytes(const KernelPlan &kernel) {
  int64_t bytes = 0;
  for (const plan::Channel &channel : kernel.channels)
    for (const plan::Payload &payload : channel.payloads)
      for (const plan::Copy &copy : payload.copies)
        if (kernel.tensor_map(copy.tensor_map).swizzle == plan::Swizzle::kNone)
          bytes += copy.bytes() * payload.turns_per_tile;
  return static_cast<double>(bytes);
}

/// Clocks for the turns of one ring when every slot is a load in flight: latency of load and MMA over depth.
double ring_clocks(const plan::Channel &channel, double tensor_clocks, const SmTarget &target) {
  int64_t turns = 0;
  for (const plan::Payload &payload : channel.payloads) turns += payload.turns_per_tile;
  if (turns == 0) return 0;
  const double turn_clocks = tensor_clocks / static_cast<double>(turns);
  const double cycle_clocks = static_cast<double>(target.load_latency_clk + target.mma_latency_clk) + turn_clocks;
  return static_cast<double>(turns) * cycle_clocks / static_cast<double>(channel.depth);
}

double work_clocks(const plan::TileWork &work, const SmTarget &target) {
  // A warp waits for each of these in turn, so they add up.
  return static_cast<double>(work.tmem_read_bytes) / target.tmem_read_bytes_per_clk +
         static_cast<double>(work.fp32_results) / target.fp32_per_clk +
         static_cast<double>(work.special_results) / target.special_per_clk +
         static_cast<double>(work.smem_bytes) / target.smem_port_bytes_per_clk;
}

struct Total {
  double us = 0;
  std::string bound;
  std::map<std::string, double> parts_us;
};

Total total_time(const KernelPlan &kernel, const Waves &waves, double memory_bytes, const SmTarget &target,
                 Reading reading) {
  const TileClocks tile = tile_clocks(kernel, target, reading);
  const double us_per_clock = 1e-3 / target.reference_clock_ghz;
  const double rounds = static_cast<double>(waves.rounds);

  const double main = std::max({tile.tensor, tile.smem_port, tile.ring});
  const double steady = std::max(main + tile.exposed, tile.epilogue);
  // Before the first MMA a load must arrive; after the last one its whole epilogue is exposed.
  const double ramp = static_cast<double>(target.load_latency_clk) + tile.epilogue;
  const double chip_us = (rounds * steady + ramp) * us_per_clock;
  const double hbm_us = memory_bytes / target.hbm_tb_per_s * 1e-6;

  Total total;
  total.us = std::max(chip_us, hbm_us);
  total.parts_us = {{"tensor pipe", rounds * tile.tensor * us_per_clock},
                    {"smem port", rounds * tile.smem_port * us_per_clock},
                    {"load latency", rounds * tile.ring * us_per_clock},
                    {"epilogue", rounds * tile.epilogue * us_per_clock},
                    {"exposed epilogue", rounds * tile.exposed * us_per_clock},
                    {"ramp", ramp * us_per_clock},
                    {"hbm", hbm_us}};
  if (hbm_us >= chip_us) {
    total.bound = "hbm";
  } else if (tile.epilogue > main + tile.exposed) {
    total.bound = "epilogue";
  } else {
    total.bound = main == tile.tensor ? "tensor pipe" : main == tile.smem_port ? "smem port" : "load latency";
  }
  return total;
}

}  // namespace

TileClocks tile_clocks(const KernelPlan &kernel, const SmTarget &target, Reading reading) {
  TileClocks tile;
  for (const plan::MmaSlots &slots : kernel.mma) {
    tile.tensor += static_cast<double>(slots.clocks);
    tile.operand_bytes += static_cast<double>(slots.operand_bytes);
  }
  for (const plan::Channel &channel : kernel.channels)
    for (const plan::Payload &payload : channel.payloads)
      tile.fill_bytes += static_cast<double>(payload.cta_bytes() * payload.turns_per_tile);

  const double port = target.smem_port_bytes_per_clk;
  switch (reading) {
    case Reading::kKind:
      tile.smem_port = std::max(tile.operand_bytes, tile.fill_bytes) / port;
      break;
    case Reading::kCentral:
      tile.smem_port = (tile.operand_bytes + tile.fill_bytes) / port;
      break;
    case Reading::kHarsh:
      tile.smem_port = std::max((tile.operand_bytes + tile.fill_bytes + scale_bytes(kernel)) / port,
                                tile.fill_bytes / target.fill_bytes_per_clk);
      break;
  }
  for (const plan::Channel &channel : kernel.channels)
    tile.ring = std::max(tile.ring, ring_clocks(channel, std::max(tile.tensor, tile.smem_port), target));
  for (const plan::TileWork &work : kernel.tile_work) {
    const double clocks = work_clocks(work, target);
    tile.epilogue = std::max(tile.epilogue, clocks);
    const double share =
        static_cast<double>(work.exposed_steps) / static_cast<double>(std::max<int64_t>(work.steps, 1));
    tile.exposed = std::max(tile.exposed, clocks * share);
  }
  return tile;
}

namespace {

std::map<std::string, int64_t> variables_of(const OperatorPlan &plan, const SmTarget &target,
                                            const std::map<std::string, int64_t> &shape) {
  std::map<std::string, int64_t> variables = plan.fixed_variables;
  for (const auto &[name, value] : shape) variables.emplace(name, value);
  variables["num_sms"] = target.sm_count;
  return variables;
}

int64_t evaluate_with(const std::string &expression, const std::map<std::string, int64_t> &variables) {
  std::string problem;
  const auto value = format::evaluate_expression(expression, variables, &problem);
  if (!value) throw support::InternalError("expression \"" + expression + "\": " + problem);
  return *value;
}

}  // namespace

int64_t evaluate(const std::string &expression, const OperatorPlan &plan, const SmTarget &target,
                 const std::map<std::string, int64_t> &shape) {
  return evaluate_with(expression, variables_of(plan, target, shape));
}

namespace {

Waves make_waves(int64_t tiles, int64_t grid_ctas, int64_t cta_group) {
  Waves waves;
  waves.tiles = tiles;
  waves.groups = std::max<int64_t>(1, grid_ctas / cta_group);
  waves.rounds = (waves.tiles + waves.groups - 1) / waves.groups;
  waves.waves = static_cast<double>(waves.tiles) / static_cast<double>(waves.groups);
  return waves;
}

}  // namespace

Waves count_waves(const OperatorPlan &plan, size_t kernel, const SmTarget &target,
                  const std::map<std::string, int64_t> &shape) {
  const KernelPlan &planned = plan.kernels[kernel];
  const auto variables = variables_of(plan, target, shape);
  return make_waves(evaluate_with(planned.output_tiles, variables), evaluate_with(planned.launch.grid_x, variables),
                    planned.cta_group);
}

int64_t tensor_bytes(const OperatorPlan &plan, const SmTarget &target, const std::map<std::string, int64_t> &shape) {
  const auto variables = variables_of(plan, target, shape);
  int64_t bytes = 0;
  for (const plan::Tensor &tensor : plan.tensors) bytes += evaluate_with(tensor.bytes, variables);
  return bytes;
}

int64_t ClosedForm::evaluate_once(const std::string &expression,
                                  const std::map<std::string, int64_t> &variables) const {
  if (variables != variables_) {
    variables_ = variables;
    values_.clear();
  }
  const auto [known, is_new] = values_.try_emplace(expression, 0);
  if (is_new) known->second = evaluate_with(expression, variables);
  return known->second;
}

plan::Scorer::Score ClosedForm::score(const OperatorPlan &plan, const SmTarget &target,
                                      const std::map<std::string, int64_t> &shape) const {
  Score score;
  score.clock_ghz = target.reference_clock_ghz;
  const auto variables = variables_of(plan, target, shape);
  int64_t bytes = 0;
  for (const plan::Tensor &tensor : plan.tensors) bytes += evaluate_once(tensor.bytes, variables);
  const double memory_bytes = static_cast<double>(bytes);
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const KernelPlan &kernel = plan.kernels[i];
    const Waves waves = make_waves(evaluate_once(kernel.output_tiles, variables),
                                   evaluate_once(kernel.launch.grid_x, variables), kernel.cta_group);
    const Total total = total_time(kernel, waves, memory_bytes, target, Reading::kCentral);
    score.us += total.us;
    score.low_us += total_time(kernel, waves, memory_bytes, target, Reading::kKind).us;
    score.high_us += total_time(kernel, waves, memory_bytes, target, Reading::kHarsh).us;
    if (i == 0) score.bound = total.bound;
    for (const auto &[part, us] : total.parts_us) score.parts_us[part] += us;
  }
  return score;
}

}  // namespace warpwright::laws
