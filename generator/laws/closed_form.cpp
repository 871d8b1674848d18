// SPDX-License-Identifier: Apache-2.0
// The sums behind a predicted time.
#include "generator/laws/closed_form.h"

#include "runtime/format/expression.h"

#include <algorithm>
#include <array>

namespace warpwright::laws {
namespace {

using plan::KernelWork;
using plan::OperatorPlan;
using target::SmTarget;

/// Clocks for the turns of one ring when every slot is a load in flight: latency of load and MMA over depth.
double ring_clocks(const plan::RingWork &ring, double tensor_clocks, const SmTarget &target) {
  if (ring.turns == 0) return 0;
  const auto turns = static_cast<double>(ring.turns);
  const double turn_clocks = tensor_clocks / turns;
  const double cycle_clocks = static_cast<double>(target.load_latency_clk + target.mma_latency_clk) + turn_clocks;
  return turns * cycle_clocks / static_cast<double>(ring.depth);
}

/// Clocks of one turn's hand-overs in one thread: an arrival, and the wait before it.
/// Source: FlashGPU-Sim, configs/SM100_B200: mbarrier arrive 29. Arrive with a test that succeeds 54 and with a wait
/// loop 123: one published collection of B300 measurements, not repeated by others.
double turn_clocks(Reading reading) {
  return reading == Reading::kKind ? 29 : reading == Reading::kCentral ? 54 : 123;
}

/// Clocks that the busiest of the issuing threads needs: a load role or the MMA role, one thread each.
double issue_clocks(const KernelWork &kernel, Reading reading) {
  // FlashGPU-Sim, configs/SM100_B200: 32 to 33 clocks to issue a bulk tensor copy, the election of a lane included.
  const double box_clocks = reading == Reading::kHarsh ? 33 : 32;
  // SemiAnalysisAI/microbench-blackwell, umma_latency: about 12 clocks for each further MMA issued.
  constexpr double kMmaClocks = 12;
  int64_t turns = 0;
  for (const plan::RingWork &ring : kernel.rings) turns += ring.turns;
  const double most = std::max(static_cast<double>(kernel.loader_boxes) * box_clocks,
                               static_cast<double>(kernel.mma_instructions) * kMmaClocks);
  return static_cast<double>(turns) * turn_clocks(reading) + most;
}

double work_clocks(const plan::TileWork &work, const SmTarget &target) {
  // A target without tensor memory has no rate for it, and no plan for such a target reads any.
  const double tmem_clocks =
      work.tmem_read_bytes == 0 ? 0 : static_cast<double>(work.tmem_read_bytes) / target.tmem_read_bytes_per_clk;
  // A warp waits for each of these in turn, so they add up.
  return tmem_clocks +
         static_cast<double>(work.fp32_results) / target.fp32_per_clk +
         static_cast<double>(work.special_results) / target.special_per_clk +
         static_cast<double>(work.smem_bytes) / target.smem_port_bytes_per_clk;
}

struct Total {
  double us = 0;
  const char *bound = "";
  std::array<std::pair<const char *, double>, 8> parts_us;
};

Total total_time(const KernelWork &kernel, const Waves &waves, double memory_bytes, const SmTarget &target,
                 Reading reading) {
  const TileClocks tile = tile_clocks(kernel, target, reading);
  const double us_per_clock = 1e-3 / target.reference_clock_ghz;
  const double rounds = static_cast<double>(waves.rounds);

  const double main = std::max({tile.tensor, tile.smem_port, tile.ring, tile.issue});
  const double steady = std::max(main + tile.exposed, tile.epilogue);
  // Before the first MMA a load must arrive; after the last one its whole epilogue is exposed.
  const double ramp = static_cast<double>(target.load_latency_clk) + tile.epilogue;
  const double chip_us = (rounds * steady + ramp) * us_per_clock;
  const double hbm_us = memory_bytes / target.hbm_tb_per_s * 1e-6;

  Total total;
  total.us = std::max(chip_us, hbm_us);
  total.parts_us = {{{"tensor pipe", rounds * tile.tensor * us_per_clock},
                     {"smem port", rounds * tile.smem_port * us_per_clock},
                     {"load latency", rounds * tile.ring * us_per_clock},
                     {"issue", rounds * tile.issue * us_per_clock},
                     {"epilogue", rounds * tile.epilogue * us_per_clock},
                     {"exposed epilogue", rounds * tile.exposed * us_per_clock},
                     {"ramp", ramp * us_per_clock},
                     {"hbm", hbm_us}}};
  if (hbm_us >= chip_us) {
    total.bound = "hbm";
  } else if (tile.epilogue > main + tile.exposed) {
    total.bound = "epilogue";
  } else {
    total.bound = main == tile.tensor      ? "tensor pipe"
                  : main == tile.smem_port ? "smem port"
                  : main == tile.ring      ? "load latency"
                                           : "issue";
  }
  return total;
}

}  // namespace

TileClocks tile_clocks(const KernelWork &kernel, const SmTarget &target, Reading reading) {
  TileClocks tile;
  tile.tensor = static_cast<double>(kernel.mma_clocks);
  tile.operand_bytes = static_cast<double>(kernel.mma_operand_bytes);
  double scale_bytes = 0;
  for (const plan::RingWork &ring : kernel.rings) {
    tile.fill_bytes += static_cast<double>(ring.fill_bytes);
    scale_bytes += static_cast<double>(ring.scale_bytes);
  }

  const double port = target.smem_port_bytes_per_clk;
  switch (reading) {
    case Reading::kKind:
      tile.smem_port = std::max(tile.operand_bytes, tile.fill_bytes) / port;
      break;
    case Reading::kCentral:
      tile.smem_port = (tile.operand_bytes + tile.fill_bytes) / port;
      break;
    case Reading::kHarsh:
      tile.smem_port = std::max((tile.operand_bytes + tile.fill_bytes + scale_bytes) / port,
                                tile.fill_bytes / target.fill_bytes_per_clk);
      break;
  }
  for (const plan::RingWork &ring : kernel.rings)
    tile.ring = std::max(tile.ring, ring_clocks(ring, std::max(tile.tensor, tile.smem_port), target));
  tile.issue = issue_clocks(kernel, reading);
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

std::map<std::string, int64_t> variables_of(const std::map<std::string, int64_t> &fixed, const SmTarget &target,
                                            const std::map<std::string, int64_t> &shape) {
  std::map<std::string, int64_t> variables = fixed;
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
  return evaluate_with(expression, variables_of(plan.fixed_variables, target, shape));
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
  const plan::KernelPlan &planned = plan.kernels[kernel];
  const auto variables = variables_of(plan.fixed_variables, target, shape);
  return make_waves(evaluate_with(planned.output_tiles, variables), evaluate_with(planned.launch.grid_x, variables),
                    planned.cta_group);
}

int64_t tensor_bytes(const OperatorPlan &plan, const SmTarget &target, const std::map<std::string, int64_t> &shape) {
  const auto variables = variables_of(plan.fixed_variables, target, shape);
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

plan::Scorer::Score ClosedForm::score(const plan::Workload &work, const SmTarget &target,
                                      const std::map<std::string, int64_t> &shape) const {
  Score score;
  score.clock_ghz = target.reference_clock_ghz;
  const auto variables = variables_of(work.fixed_variables, target, shape);
  int64_t bytes = 0;
  for (const std::string &expression : work.tensor_bytes) bytes += evaluate_once(expression, variables);
  const double memory_bytes = static_cast<double>(bytes);
  for (const KernelWork &kernel : work.kernels) {
    const Waves waves = make_waves(evaluate_once(kernel.output_tiles, variables),
                                   evaluate_once(kernel.grid_x, variables), kernel.cta_group);
    const Total total = total_time(kernel, waves, memory_bytes, target, Reading::kCentral);
    score.us += total.us;
    score.low_us += total_time(kernel, waves, memory_bytes, target, Reading::kKind).us;
    score.high_us += total_time(kernel, waves, memory_bytes, target, Reading::kHarsh).us;
    if (score.bound.empty()) score.bound = total.bound;
    for (const auto &[part, us] : total.parts_us) score.parts_us[part] += us;
  }
  return score;
}

}  // namespace warpwright::laws
