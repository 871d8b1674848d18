// SPDX-License-Identifier: Apache-2.0
// What a family gives to the plan stage, and the two questions asked of it: plan this, and choose the best.
#pragma once

#include "generator/plan/workload.h"
#include "generator/spec/family_spec.h"
#include "generator/target/target.h"

#include <functional>
#include <memory>

namespace warpwright::plan {

/// A change to the spec that would help: fields and new values, ready to paste as `--set path=json`.
struct Change {
  std::vector<std::pair<std::string, spec::FieldValue>> sets;
  std::string effect;  ///< what it does to the kernel: "one staging buffer"

  /// `--set a=1 --set b="auto"`, quoted for a shell where needed.
  std::string flags() const;
};

/// How much of the two memories is taken, whether or not it fits.
struct MemorySizes {
  int64_t smem_bytes = 0, smem_limit_bytes = 0;
  int64_t tmem_cols = 0, tmem_limit_cols = 0;
  int64_t smem_slack_bytes() const { return smem_limit_bytes - smem_bytes; }
  /// By how much the memories are exceeded; columns count as the 512 bytes that they are. 0: fits.
  int64_t excess_bytes() const;
  bool operator==(const MemorySizes &) const = default;
};

/// What a spec takes of the two memories, whether or not it fits.
struct Budget {
  SmemPlan smem;
  TmemPlan tmem;
  MemorySizes sizes() const { return {smem.used_bytes, smem.limit_bytes, tmem.used_cols, tmem.limit_cols}; }
  int64_t excess_bytes() const { return sizes().excess_bytes(); }
};

/// What choosing between specs needs of their plans, without the plans: numbers of a spec at any depth.
class Sketch {
 public:
  virtual ~Sketch() = default;
  /// The sizes of FamilyPlan::budget.
  virtual MemorySizes sizes(int64_t depth) const = 0;
  /// The work of FamilyPlan::plan; nothing where a rule other than the memories refuses it.
  virtual std::optional<Workload> work(int64_t depth) const = 0;
};

/// What a family gives to the plan stage. No MLIR.
struct FamilyPlan {
  std::string name;
  /// The rules of the spec stage, for specs whose values were changed in memory.
  std::function<void(const spec::KernelSpec &, support::Diagnostics &)> check;
  /// Values to try for each field that is still "auto" and matters, best guess first. The planner fixes the first field
  /// and asks again, so that later fields may depend on earlier ones; it stops when none is left.
  std::function<std::vector<std::pair<std::string, std::vector<spec::FieldValue>>>(const spec::KernelSpec &)> domains;
  /// The field of which the largest value that fits is taken when it is auto: more of it costs memory alone.
  std::string depth_path;
  int64_t depth_min = 1;
  int64_t depth_max = 1;
  /// The memories that a spec without autos takes; shares its arithmetic with `plan`.
  std::function<Budget(const spec::KernelSpec &, const target::SmTarget &)> budget;
  /// The sketch of a spec without autos but possibly the depth; shares its arithmetic with `budget` and `plan`.
  std::function<std::unique_ptr<Sketch>(const spec::KernelSpec &, const target::SmTarget &)> sketch;
  /// Launch variables of a spec at a typical problem, for predictions: m of a dynamic m.
  std::function<std::map<std::string, int64_t>(const spec::KernelSpec &)> typical_shape;
  /// Plans a spec without autos. Errors: plan.* slugs, with tables and hints.
  std::function<std::optional<OperatorPlan>(const spec::KernelSpec &, const target::SmTarget &, support::Diagnostics &)>
      plan;
  /// Changes to a spec without autos that may make room; the planner tries each and keeps those that do. A change that
  /// makes another field's value illegal sets that field to auto.
  std::function<std::vector<Change>(const spec::KernelSpec &)> changes;
  /// Fields that the planner chooses when they are auto, the one that a user gives up most readily first: what a repair
  /// of a refused spec may change.
  std::vector<std::string> open_paths;
};

/// One point of the search and what became of it.
struct Candidate {
  spec::KernelSpec spec;
  std::optional<OperatorPlan> plan;
  support::Diagnostics diagnostics;  ///< why it was rejected; the first error is the reason shown
  double score_us = 0;               ///< predicted time; smaller is better
  /// What limits it: "tensor pipe", "smem port", "load latency", "issue", "epilogue", "hbm".
  std::string bound;
  int64_t excess_bytes = 0;          ///< by which the memories are exceeded; how close a rejected one came
};

/// Predicts the time of a plan. Implemented by laws/.
class Scorer {
 public:
  virtual ~Scorer() = default;
  struct Score {
    double us = 0;
    double low_us = 0;     ///< the same under the kindest reading of what nobody has measured
    double high_us = 0;    ///< and under the harshest
    double clock_ghz = 0;  ///< at which all of them are stated
    std::string bound;
    std::map<std::string, double> parts_us;
  };
  virtual Score score(const Workload &work, const target::SmTarget &target,
                      const std::map<std::string, int64_t> &shape) const = 0;
};

/// Launch variables of `spec` for predictions: the family's typical problem, replaced where `shape` says so.
std::map<std::string, int64_t> shape_of(const spec::KernelSpec &spec, const FamilyPlan &family,
                                        const std::map<std::string, int64_t> &shape);

/// Every combination of the family's domains for the fields that are auto, planned and scored.
///
/// Ensures   planned ones first: of those within 2 % of the fastest (the law is no finer) the first in the family's
///           order, then the others by time; then the rejected ones, the one that exceeds least first, each with its
///           diagnostics. Never empty.
std::vector<Candidate> enumerate_candidates(const spec::KernelSpec &spec, const FamilyPlan &family,
                                            const target::SmTarget &target, const Scorer &scorer,
                                            const std::map<std::string, int64_t> &shape = {});

/// Whether any choice for the fields that are auto plans, rules between the fields included.
bool can_plan(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target);

/// The first of enumerate_candidates: the best one, or the rejected one that came closest.
Candidate best_candidate(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target,
                         const Scorer &scorer, const std::map<std::string, int64_t> &shape = {});

/// The best candidate's plan.
///
/// Errors    those of the candidate that came closest, with the largest depth that fits and the changes that make
///           room as hints, each of which was tried; then plan.also-in-the-way (repair.h).
std::optional<OperatorPlan> choose_plan(const spec::KernelSpec &spec, const FamilyPlan &family,
                                        const target::SmTarget &target, const Scorer &scorer,
                                        support::Diagnostics &diagnostics,
                                        const std::map<std::string, int64_t> &shape = {});

/// The largest depth whose budget fits, or 0. `spec` has no auto but possibly the depth.
int64_t largest_depth(const spec::KernelSpec &spec, const FamilyPlan &family, const target::SmTarget &target);

/// What a region takes of shared memory.
struct SmemExtent {
  int64_t stage_bytes = 0;
  int64_t stages = 1;
  int64_t align_bytes = 16;  ///< of every stage
};

/// Bytes that plan_smem gives to regions of these extents in this order, none of them overlaid.
int64_t smem_bytes(const std::vector<SmemExtent> &extents);

/// Lays out the dynamic shared memory of one CTA, which the kernel aligns to 1024 bytes.
///
/// Units     bytes. Fills offset_bytes and stride_bytes; larger alignments come first, otherwise in order of arrival.
/// Requires  every alignment a power of two ≤ 1024 (our bug otherwise).
/// Ensures   regions are disjoint unless they share an overlay group; equal input gives equal output on every host.
/// Source    1024-byte alignment: the 128-byte swizzle atom has 8 rows, PTX ISA 9.0, "Shared memory descriptor".
SmemPlan plan_smem(std::vector<SmemRegion> regions, int64_t limit_bytes);

/// Whether the next owner waits at an mbarrier.
bool needs_mbarrier(HandOver how);

/// The barriers that the channels need: arrivals from roles and CTA scopes, bytes from payloads.
///
/// Ensures   one Barrier per hand-over that is not kBulkGroup, kNamedBarrier or kTensorOrder, named
///           `<channel>_full` and `<channel>_empty` for a ring, `<channel>_to_<role>` in longer chains.
std::vector<Barrier> derive_barriers(const std::vector<Channel> &channels, const std::vector<Role> &roles,
                                     int64_t cta_group);

}  // namespace warpwright::plan
