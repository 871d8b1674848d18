// SPDX-License-Identifier: Apache-2.0
// Plan records against each other and against the target.
#include "generator/plan/check_plan.h"

#include "generator/plan/budget.h"
#include "generator/plan/family_plan.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

namespace warpwright::plan {
namespace {

using support::format_bytes;

/// PTX ISA 9.0, "mbarrier": an opaque object of 64 bits, aligned to them.
constexpr int64_t kMbarrierBytes = 8;

class Checker {
 public:
  Checker(const PlacedPlan &plan, const KernelPlan &kernel, const target::SmTarget &target,
          support::Diagnostics &diagnostics)
      : plan_(plan), kernel_(kernel), target_(target), diagnostics_(diagnostics) {}

  void run() {
    check_regions();
    check_region_bytes();
    check_budget();
    check_tmem();
    check_barriers();
    check_barrier_places();
    check_roles();
    for (support::Diagnostic &diagnostic : found_) diagnostics_.add(std::move(diagnostic));
  }

 private:
  support::Diagnostic &report(const std::string &slug, const std::string &place, std::string message) {
    support::Diagnostic error;
    error.slug = slug;
    error.path = place;
    const auto found = plan_.places.find(place);
    if (found != plan_.places.end()) error.where = found->second;
    error.message = std::move(message);
    found_.push_back(std::move(error));
    return found_.back();
  }

  void check_regions() {
    const auto &regions = kernel_.smem.regions;
    int64_t end_bytes = 0;
    for (size_t i = 0; i < regions.size(); ++i) {
      const SmemRegion &region = regions[i];
      const std::string place = "region " + region.name;
      end_bytes = std::max(end_bytes, region.offset_bytes + region.total_bytes());
      const bool is_power = region.align_bytes > 0 && (region.align_bytes & (region.align_bytes - 1)) == 0;
      if (!is_power || region.offset_bytes % std::max<int64_t>(region.align_bytes, 1) != 0 ||
          (region.stages > 1 && region.stride_bytes % std::max<int64_t>(region.align_bytes, 1) != 0))
        report("plan.region-misaligned", place,
               fmt::format("offset {} and stride {} are not multiples of the alignment {}", region.offset_bytes,
                           region.stride_bytes, region.align_bytes));
      if (region.stride_bytes < region.stage_bytes)
        report("plan.region-overlap", place,
               fmt::format("stages of {} lie {} apart", format_bytes(region.stage_bytes),
                           format_bytes(region.stride_bytes)));
      for (size_t j = 0; j < i; ++j) {
        const SmemRegion &other = regions[j];
        const bool is_declared = !region.overlay_group.empty() && region.overlay_group == other.overlay_group;
        const bool overlaps = region.offset_bytes < other.offset_bytes + other.total_bytes() &&
                              other.offset_bytes < region.offset_bytes + region.total_bytes();
        if (overlaps && !is_declared)
          report("plan.region-overlap", place,
                 fmt::format("[{}, {}) overlaps {}, which ends at {}", region.offset_bytes,
                             region.offset_bytes + region.total_bytes(), other.name,
                             other.offset_bytes + other.total_bytes()));
      }
    }
    if (end_bytes != kernel_.smem.used_bytes)
      report("plan.smem-total", "smem",
             fmt::format("the last region ends at {}, used_bytes says {}", format_bytes(end_bytes),
                         format_bytes(kernel_.smem.used_bytes)));
    if (kernel_.launch.dynamic_smem_bytes != kernel_.smem.used_bytes)
      report("plan.smem-total", "launch",
             fmt::format("the launch asks for {}, the regions take {}", format_bytes(kernel_.launch.dynamic_smem_bytes),
                         format_bytes(kernel_.smem.used_bytes)));
  }

  void check_region_bytes() {
    std::map<std::string, int64_t> most_bytes;
    std::map<std::string, std::string> channel_of;
    for (const Channel &channel : kernel_.channels)
      for (const Payload &payload : channel.payloads) {
        std::map<std::string, int64_t> bytes;
        for (const Copy &copy : payload.copies) bytes[copy.region] += copy.bytes();
        for (const auto &[region, sum] : bytes) {
          most_bytes[region] = std::max(most_bytes[region], sum);
          channel_of[region] = channel.name;
        }
      }
    for (const auto &[name, bytes] : most_bytes) {
      const auto region = std::find_if(kernel_.smem.regions.begin(), kernel_.smem.regions.end(),
                                       [&, &wanted = name](const SmemRegion &r) { return r.name == wanted; });
      if (region == kernel_.smem.regions.end()) {
        report("plan.unknown-name", "channel " + channel_of[name],
               fmt::format("its copies fill \"{}\", a region that is not in the plan", name));
      } else if (region->stage_bytes != bytes) {
        report("plan.region-bytes", "region " + name,
               fmt::format("a stage has {}; the copies of its largest payload bring {}",
                           format_bytes(region->stage_bytes), format_bytes(bytes)));
      }
    }
  }

  void check_budget() {
    if (kernel_.smem.used_bytes > target_.smem_optin_bytes) {
      SmemPlan limited = kernel_.smem;
      limited.limit_bytes = target_.smem_optin_bytes;
      report("plan.smem-over-budget", "smem",
             fmt::format("{} of shared memory; {} allows {} per CTA", format_bytes(limited.used_bytes), target_.arch,
                         format_bytes(target_.smem_optin_bytes)))
          .notes.push_back(smem_table(limited));
    }
    if (kernel_.tmem.used_cols > target_.tmem_cols)
      report("plan.tmem-over-budget", "tmem",
             fmt::format("{} columns of tensor memory; {} has {}", kernel_.tmem.used_cols, target_.arch,
                         target_.tmem_cols));
  }

  int64_t shared_cols(const TmemRange &a, const TmemRange &b) const {
    int64_t cols = 0;
    for (const TmemPart &part : kernel_.tmem.parts) {
      const auto names = [&](const TmemRange &range) {
        return std::find(range.parts.begin(), range.parts.end(), part.name) != range.parts.end();
      };
      if (names(a) && names(b)) cols += part.cols;
    }
    return cols;
  }

  void check_tmem() {
    const TmemPlan &tmem = kernel_.tmem;
    int64_t end_col = 0;
    for (size_t i = 0; i < tmem.ranges.size(); ++i) {
      const TmemRange &range = tmem.ranges[i];
      end_col = std::max(end_col, range.first_col + range.cols);
      for (size_t j = 0; j < i; ++j) {
        const TmemRange &other = tmem.ranges[j];
        const int64_t overlap = std::min(range.first_col + range.cols, other.first_col + other.cols) -
                                std::max(range.first_col, other.first_col);
        if (std::max<int64_t>(overlap, 0) != shared_cols(range, other))
          report("plan.tmem-overlap", "range " + range.name,
                 fmt::format("shares {} columns with {}; their parts share {}", std::max<int64_t>(overlap, 0),
                             other.name, shared_cols(range, other)));
      }
    }
    const int64_t alloc = tmem.alloc_cols;
    const bool is_legal = tmem.limit_cols == 0 || (alloc >= 32 && (alloc & (alloc - 1)) == 0 && alloc >= end_col);
    if (!is_legal || end_col != tmem.used_cols)
      report(
          "plan.tmem-alloc", "tmem",
          fmt::format("{} columns are used and {} allocated; the last range ends at {}, and an allocation is a power "
                      "of two of at least 32",
                      tmem.used_cols, alloc, end_col));
  }

  const Role *role_named(const std::string &name) const {
    for (const Role &role : kernel_.roles)
      if (role.name == name) return &role;
    return nullptr;
  }

  /// Whether derive_barriers() may be asked: it takes a channel whose owners make no sense for a bug.
  bool channel_is_sound(const Channel &channel) {
    const size_t before = found_.size();
    const std::string place = "channel " + channel.name;
    if (channel.chain.size() < 2) report("plan.barrier-mismatch", place, "has fewer than two positions");
    for (const auto &owners : channel.chain) {
      if (owners.empty()) report("plan.barrier-mismatch", place, "a position has no owner");
      for (const ChannelOwner &owner : owners) {
        const Role *role = role_named(owner.role);
        const Role *first = role_named(owners.front().role);
        if (role == nullptr) {
          report("plan.unknown-name", place, "there is no role \"" + owner.role + "\"");
        } else if (first != nullptr && first->runs_in != role->runs_in) {
          report("plan.barrier-mismatch", place,
                 fmt::format("{} and {} join, but run in different CTAs", first->name, role->name));
        }
        if (owner.hands_over == HandOver::kTma && channel.payloads.empty())
          report("plan.barrier-mismatch", place, owner.role + " hands over by TMA, but there is no payload");
      }
    }
    return found_.size() == before;
  }

  void check_barriers() {
    bool all_sound = true;
    for (const Channel &channel : kernel_.channels) all_sound &= channel_is_sound(channel);
    if (!all_sound) return;
    const std::vector<Barrier> implied = derive_barriers(kernel_.channels, kernel_.roles, kernel_.cta_group);
    for (const Barrier &barrier : implied) {
      const auto planned = std::find_if(kernel_.barriers.begin(), kernel_.barriers.end(),
                                        [&](const Barrier &other) { return other.name == barrier.name; });
      if (planned == kernel_.barriers.end()) {
        report("plan.barrier-mismatch", "channel " + barrier.channel, "its barrier " + barrier.name + " is missing");
      } else {
        compare_barriers(barrier, *planned);
      }
    }
    if (implied.size() < kernel_.barriers.size())
      report("plan.barrier-mismatch", "kernel " + kernel_.name, "there are barriers that no channel implies");
  }

  void compare_barriers(const Barrier &implied, const Barrier &planned) {
    const std::string place = "barrier " + planned.name;
    if (implied.count != planned.count || implied.arrivals != planned.arrivals || implied.lives_in != planned.lives_in)
      report("plan.barrier-mismatch", place,
             fmt::format("{} slots with {} arrivals; its channel implies {} with {}", planned.count, planned.arrivals,
                         implied.count, implied.arrivals));
    const auto bytes_of = [](const Barrier &barrier) {
      std::map<std::string, int64_t> bytes;
      for (const ExpectedBytes &expect : barrier.expects) bytes[expect.payload] += expect.bytes;
      return bytes;
    };
    for (const auto &[payload, bytes] : bytes_of(implied)) {
      const auto planned_bytes = bytes_of(planned);
      const auto found = planned_bytes.find(payload);
      if (found == planned_bytes.end() || found->second != bytes)
        report(
            "plan.barrier-mismatch", place,
            fmt::format("expects {} of payload {}; the copies bring {}",
                        format_bytes(found == planned_bytes.end() ? 0 : found->second), payload, format_bytes(bytes)));
      if (bytes > target_.mbarrier_max_tx_bytes)
        report("plan.tx-over-limit", place,
               fmt::format("{} a phase; an mbarrier counts to {}", format_bytes(bytes),
                           format_bytes(target_.mbarrier_max_tx_bytes)));
    }
  }

  /// Every barrier in one region, and no two in the same place.
  void check_barrier_places() {
    std::map<int64_t, int64_t> taken_bytes;
    for (const Barrier &barrier : kernel_.barriers) {
      const int64_t begin = barrier.offset_bytes;
      const int64_t end = begin + barrier.count * kMbarrierBytes;
      const bool is_inside =
          begin % kMbarrierBytes == 0 &&
          std::any_of(kernel_.smem.regions.begin(), kernel_.smem.regions.end(), [&](const SmemRegion &region) {
            return region.channel.empty() && begin >= region.offset_bytes &&
                   end <= region.offset_bytes + region.total_bytes();
          });
      const auto next = taken_bytes.lower_bound(begin);
      const bool is_alone = (next == taken_bytes.end() || next->first >= end) &&
                            (next == taken_bytes.begin() || std::prev(next)->second <= begin);
      taken_bytes[begin] = end;
      if (!is_inside || !is_alone)
        report("plan.barrier-mismatch", "barrier " + barrier.name,
               fmt::format("[{}, {}) is {}", begin, end,
                           is_inside ? "another barrier's place as well" : "in no region for barriers"));
    }
  }

  void check_roles() {
    int64_t registers = 0;
    int warps_end = 0;
    const int64_t share = std::min(target_.max_registers_per_thread,
                                   target_.registers_per_sm / std::max<int64_t>(kernel_.launch.threads, 1));
    for (size_t i = 0; i < kernel_.roles.size(); ++i) {
      const Role &role = kernel_.roles[i];
      warps_end = std::max(warps_end, role.first_warp + role.num_warps);
      registers += int64_t{role.num_warps} * 32 * (role.registers > 0 ? role.registers : share);
      for (size_t j = 0; j < i; ++j) {
        const Role &other = kernel_.roles[j];
        if (role.first_warp < other.first_warp + other.num_warps && other.first_warp < role.first_warp + role.num_warps)
          report("plan.warp-overlap", "role " + role.name, "shares a warp with " + other.name);
      }
    }
    const int64_t threads = int64_t{warps_end} * 32;
    if (threads > target_.max_threads_per_cta || threads > kernel_.launch.threads)
      report("plan.too-many-threads", "launch",
             fmt::format("the roles need {} threads; the launch has {}, {} allows {}", threads, kernel_.launch.threads,
                         target_.arch, target_.max_threads_per_cta));
    if (registers > target_.registers_per_sm)
      report("plan.too-many-registers", "launch",
             fmt::format("the roles take {} registers; an SM has {}", registers, target_.registers_per_sm));
  }

  const PlacedPlan &plan_;
  const KernelPlan &kernel_;
  const target::SmTarget &target_;
  support::Diagnostics &diagnostics_;
  std::vector<support::Diagnostic> found_;
};

}  // namespace

void check_plan(const PlacedPlan &plan, const target::SmTarget &target, support::Diagnostics &diagnostics) {
  for (const KernelPlan &kernel : plan.plan.kernels) Checker(plan, kernel, target, diagnostics).run();
  const auto slack = plan.plan.facts.find("smem_slack_bytes");
  if (slack == plan.plan.facts.end() || plan.plan.kernels.empty()) return;
  const std::string expected = std::to_string(plan.plan.kernels.front().smem.slack_bytes());
  if (slack->second == expected) return;
  support::Diagnostic error;
  error.slug = "plan.smem-total";
  error.path = "facts.smem_slack_bytes";
  const auto place = plan.places.find("facts");
  if (place != plan.places.end()) error.where = place->second;
  error.message = fmt::format("says {}; the regions leave {}", slack->second, expected);
  diagnostics.add(std::move(error));
}

}  // namespace warpwright::plan
