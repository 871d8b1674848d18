// SPDX-License-Identifier: Apache-2.0
// A plan as text: one section per resource.
#include "generator/plan/report.h"

#include "generator/plan/budget.h"
#include "generator/plan/words.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::plan {
namespace {

using support::Align;
using support::format_bytes;
using support::format_thousands;

std::string where_word(CtaScope scope, int64_t cta_group) {
  if (cta_group == 1) return "the CTA";
  switch (scope) {
    case CtaScope::kSelf:
      return "each CTA";
    case CtaScope::kLeader:
      return "leader";
    case CtaScope::kBoth:
      return "both CTAs";
  }
  return "?";
}

std::string warp_words(const Role &role) {
  return role.num_warps == 1 ? std::to_string(role.first_warp)
                             : fmt::format("{}-{}", role.first_warp, role.first_warp + role.num_warps - 1);
}

std::string roles_section(const KernelPlan &kernel, const target::SmTarget &target) {
  // Without setmaxnreg every thread has the launch bound's share of the register file.
  const int64_t share = std::min(target.max_registers_per_thread, target.registers_per_sm / kernel.launch.threads);
  support::TextTable table;
  table.add_column("role");
  table.add_column("warps");
  table.add_column("threads", Align::kRight);
  table.add_column("registers", Align::kRight);
  table.add_column("runs in");
  table.add_column("does");
  for (const Role &role : kernel.roles)
    table.add_row({role.name, warp_words(role), std::to_string(role.num_warps * 32),
                   role.registers > 0 ? std::to_string(role.registers) : fmt::format("<= {}", share),
                   where_word(role.runs_in, kernel.cta_group), role.text});
  return fmt::format("Roles: {} threads a CTA\n{}", kernel.launch.threads, table.render());
}

std::string arriver_words(const Barrier &barrier) {
  std::vector<std::string> words;
  for (const Arrival &arrival : barrier.arrivers)
    words.push_back(arrival.count == 1
                        ? fmt::format("{} ({})", arrival.role, word_of(arrival.how))
                        : fmt::format("{} x {} ({})", arrival.count, arrival.role, word_of(arrival.how)));
  return support::join_words(words);
}

/// "main 77,824 = load_weights 40,960 + load_activations 36,864"; payloads separated by semicolons.
std::string expected_words(const Barrier &barrier) {
  std::vector<std::string> payloads;
  for (const ExpectedBytes &expect : barrier.expects)
    if (std::find(payloads.begin(), payloads.end(), expect.payload) == payloads.end())
      payloads.push_back(expect.payload);
  std::string text;
  for (const std::string &payload : payloads) {
    int64_t sum_bytes = 0;
    std::string terms;
    for (const ExpectedBytes &expect : barrier.expects) {
      if (expect.payload != payload) continue;
      sum_bytes += expect.bytes;
      terms += fmt::format("{}{} {}", terms.empty() ? "" : " + ", expect.role, format_thousands(expect.bytes));
    }
    text += fmt::format("{}{} {} = {}", text.empty() ? "" : "; ", payload, format_thousands(sum_bytes), terms);
  }
  return text;
}

std::string barriers_section(const KernelPlan &kernel) {
  support::TextTable table;
  table.add_column("barrier");
  table.add_column("slots", Align::kRight);
  table.add_column("used in");
  table.add_column("arrivals", Align::kRight);
  table.add_column("who arrives");
  table.add_column("bytes a phase, by payload");
  int64_t total = 0;
  for (const Barrier &barrier : kernel.barriers) {
    total += barrier.count;
    table.add_row({barrier.name, std::to_string(barrier.count), where_word(barrier.lives_in, kernel.cta_group),
                   std::to_string(barrier.arrivals), arriver_words(barrier), expected_words(barrier)});
  }
  for (const NamedBarrier &barrier : kernel.named_barriers)
    table.add_row({barrier.name, fmt::format("id {}", barrier.id), "each CTA", "",
                   fmt::format("{} threads", barrier.threads), ""});
  for (const BulkGroup &group : kernel.bulk_groups)
    table.add_row({group.name + " (bulk groups)", "", "each CTA", "", group.role,
                   fmt::format("{} may still read", group.in_flight)});
  return fmt::format("Barriers: {} mbarriers, {}\n{}", total, format_bytes(total * 8), table.render());
}

std::string mma_section(const KernelPlan &kernel) {
  int64_t clocks = 0;
  for (const MmaSlots &slots : kernel.mma) clocks += slots.clocks;
  support::TextTable table;
  table.add_column("kind");
  table.add_column("MMAs", Align::kRight);
  table.add_column("clocks", Align::kRight);
  table.add_column("share", Align::kRight);
  table.add_column("what");
  for (const MmaSlots &slots : kernel.mma)
    table.add_row({slots.kind, format_thousands(slots.instructions), format_thousands(slots.clocks),
                   fmt::format("{:.1f} %", 100.0 * static_cast<double>(slots.clocks) / static_cast<double>(clocks)),
                   slots.text + "; " + slots.source});
  return fmt::format("MMA slots of one output tile of the CTA group\n{}", table.render());
}

}  // namespace

std::string plan_text(const OperatorPlan &plan, const target::SmTarget &target) {
  std::string text = fmt::format("{}\n", plan.name);
  for (const auto &[fact, value] : plan.facts) text += fmt::format("  {}: {}\n", fact, value);
  for (const KernelPlan &kernel : plan.kernels) {
    text += fmt::format("\nKernel {}\n", kernel.name);
    text += "\n" + roles_section(kernel, target);
    text += fmt::format("\nShared memory of one CTA: {} of {}, slack {}\n{}", format_bytes(kernel.smem.used_bytes),
                        format_bytes(kernel.smem.limit_bytes), format_bytes(kernel.smem.slack_bytes()),
                        smem_table(kernel.smem));
    if (kernel.tmem.limit_cols > 0) text += "\nTensor memory of one CTA, in columns\n" + tmem_table(kernel.tmem);
    text += "\n" + barriers_section(kernel);
    text += "\n" + mma_section(kernel);
  }
  return text;
}

std::string marginal_text(const Marginal &marginal, const std::string &depth_path) {
  if (marginal.at_spec_limit)
    return fmt::format("One more stage: {} is at its largest legal value, {}\n", depth_path, marginal.depth);
  std::string text = fmt::format("One more stage ({} after {}): needs {}, free {}", marginal.depth + 1, marginal.depth,
                                 format_bytes(marginal.needed_bytes), format_bytes(marginal.free_bytes));
  text += marginal.missing_bytes() > 0 ? fmt::format(", missing {}\n", format_bytes(marginal.missing_bytes()))
                                       : std::string(": it fits\n");
  std::vector<std::string> blockers;
  for (const auto &[region, bytes] : marginal.blockers_bytes)
    blockers.push_back(fmt::format("{} {}", region, format_bytes(bytes)));
  if (!blockers.empty()) text += fmt::format("  in the way: {}\n", support::join_words(blockers));
  if (marginal.changes.empty()) return text + "  no single change was found that makes room\n";
  text += "  changes that give it, each tried:\n";
  support::TextTable table;
  table.add_column("");
  table.add_column("");
  table.add_column("");
  for (const TriedChange &tried : marginal.changes)
    table.add_row({tried.change.flags(), tried.change.effect,
                   fmt::format("slack {}, predicted {:.1f} us", format_bytes(tried.slack_bytes), tried.us)});
  return text + table.render(4);
}

}  // namespace warpwright::plan
