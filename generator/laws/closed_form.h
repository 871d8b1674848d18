// SPDX-License-Identifier: Apache-2.0
// Time of a plan in closed form: sums of what each resource has to do, microseconds of work a point.
#pragma once

#include "generator/plan/family_plan.h"

namespace warpwright::laws {

/// What one output tile asks of one SM, in clocks of each resource.
struct TileClocks {
  double tensor = 0;         ///< the tensor pipe
  double smem_port = 0;      ///< operand reads and TMA fill on one port
  double ring = 0;           ///< turns of the deepest-waiting ring at load latency: the critical cycle
  double issue = 0;          ///< the busiest issuing thread: waits, announcements and instructions of every ring turn
  double epilogue = 0;       ///< work of the slowest role outside the tensor pipe
  double exposed = 0;        ///< part of it that the next tile's tensor work waits for
  double fill_bytes = 0;     ///< that TMA brings into one CTA
  double operand_bytes = 0;  ///< that its tensor core reads
};

/// How to read what nobody has measured.
enum class Reading {
  kKind,     ///< operand reads and TMA fill have a port each; a wait for a full or empty slot costs nothing
  kCentral,  ///< they share one; the first test of a wait succeeds
  kHarsh,    ///< and scale copies pass through it too, an SM takes in no more than the usual figure from L2, waits loop
};

TileClocks tile_clocks(const plan::KernelWork &kernel, const target::SmTarget &target, Reading reading);

/// Value of a launch expression for a shape on a target. Throws InternalError where it does not evaluate.
int64_t evaluate(const std::string &expression, const plan::OperatorPlan &plan, const target::SmTarget &target,
                 const std::map<std::string, int64_t> &shape);

/// Output tiles over the groups of CTAs that run at once.
struct Waves {
  int64_t tiles = 0;
  int64_t groups = 0;  ///< CTA groups in the grid
  int64_t rounds = 0;  ///< tiles of the busiest group
  double waves = 0;    ///< tiles / groups
};
Waves count_waves(const plan::OperatorPlan &plan, size_t kernel, const target::SmTarget &target,
                  const std::map<std::string, int64_t> &shape);

/// Bytes that tensors hold: each is taken to cross the memory interface once.
int64_t tensor_bytes(const plan::OperatorPlan &plan, const target::SmTarget &target,
                     const std::map<std::string, int64_t> &shape);

/// Sums of resources; the time from the first CTA's start to the last one's end, without the launch itself.
///
/// Units     microseconds at the target's reference clock, stated in the score.
/// Ensures   low_us ≤ us ≤ high_us: the same sums under Reading::kKind, kCentral and kHarsh.
/// Threads   one instance per thread: expressions of equal text are evaluated once as long as the variables stay.
/// Source    rates: generator/target; none has been measured with these kernels.
class ClosedForm : public plan::Scorer {
 public:
  Score score(const plan::Workload &work, const target::SmTarget &target,
              const std::map<std::string, int64_t> &shape) const override;

 private:
  int64_t evaluate_once(const std::string &expression, const std::map<std::string, int64_t> &variables) const;

  mutable std::map<std::string, int64_t> variables_;
  mutable std::map<std::string, int64_t> values_;
};

}  // namespace warpwright::laws
