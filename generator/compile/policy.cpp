// SPDX-License-Identifier: Apache-2.0
// The policy over ptxas figures and remarks.
#include "generator/compile/policy.h"

#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <map>

namespace warpwright::compile {
namespace {

using support::format_bytes;

/// PTX ISA 9.0, "Directives: .local": an array that the source keeps in memory is declared there before ptxas sees it,
/// while spill slots exist only in ptxas.
bool declares_local_array(const std::string &ptx) {
  for (size_t at = ptx.find(".local"); at != std::string::npos; at = ptx.find(".local", at + 1)) {
    const size_t line_start = ptx.rfind('\n', at) + 1;  // npos + 1 is 0
    if (ptx.find_first_not_of(" \t", line_start) == at) return true;
  }
  return false;
}

/// Codes observed with ptxas 13.0; the words are checked too, because codes are not documented.
std::string slug_of_remark(const Remark &remark) {
  const auto says = [&](const char *words) { return remark.text.find(words) != std::string::npos; };
  if (remark.kind == Remark::Kind::kFrontend) return "compile.frontend-warning";
  if (remark.code == 7508 || says("'setmaxnreg' ignored")) return "compile.setmaxnreg-dropped";
  if ((remark.code >= 7510 && remark.code <= 7515) || remark.code == 7602 || says("instructions are serialized")) {
    return "compile.wgmma-serialised";
  }
  if (remark.code == 7517 || remark.code == 7519 || says("by compiler to allow use of registers")) {
    return "compile.wgmma-repaired";
  }
  if (says("Potential Performance Loss")) return "compile.performance-loss";
  return "compile.remark";
}

/// A repair around wgmma costs a wait or a move and leaves the result right; the report shows it.
bool fails(const std::string &slug) {
  return slug != "compile.remark" && slug != "compile.frontend-warning" && slug != "compile.wgmma-repaired";
}

std::string hint_for(const std::string &slug) {
  static const std::map<std::string, std::string> hints = {
      {"compile.spill",
       "the plan's roles need more registers than a thread has: a smaller tile, or epilogue sub-tile, helps"},
      {"compile.local-memory", "an array is indexed by a value that is not known at compile time"},
      {"compile.setmaxnreg-dropped", "setmaxnreg needs __launch_bounds__ and no calls to functions compiled elsewhere"},
      {"compile.wgmma-serialised", "accumulators and A fragments may be touched only outside fence … wait_group"},
  };
  const auto found = hints.find(slug);
  return found == hints.end() ? "" : found->second;
}

}  // namespace

std::vector<Finding> judge(const PtxasLog &log, const std::string &ptx, const target::SmTarget &target,
                           const CompilePolicy &policy) {
  std::vector<Finding> findings;
  const int64_t spill_bytes = log.spill_store_bytes + log.spill_load_bytes;
  if (spill_bytes > 0) {
    findings.push_back(
        {"compile.spill",
         fmt::format("{} spill stores, {} spill loads; the limit is {}", format_bytes(log.spill_store_bytes),
                     format_bytes(log.spill_load_bytes), format_bytes(policy.spill_limit_bytes)),
         spill_bytes > policy.spill_limit_bytes});
  }
  // A spill slot is stored to at least once, so a frame beyond the spill stores holds something else.
  const bool has_array = declares_local_array(ptx) && log.stack_bytes > 0;
  if (has_array || log.stack_bytes > log.spill_store_bytes) {
    findings.push_back({"compile.local-memory", fmt::format("{} stack frame", format_bytes(log.stack_bytes)),
                        !policy.allow_local_memory});
  }
  if (policy.max_registers > 0 && log.registers > policy.max_registers) {
    findings.push_back({"compile.too-many-registers",
                        fmt::format("{} registers a thread; the plan allows {}", log.registers, policy.max_registers),
                        true});
  }
  if (log.static_smem_bytes > 0) {
    findings.push_back({"compile.static-smem",
                        fmt::format("{} of static shared memory; all of it belongs to the plan's dynamic part",
                                    format_bytes(log.static_smem_bytes)),
                        true});
  }
  if (log.static_smem_bytes + policy.dynamic_smem_bytes > target.smem_optin_bytes && target.smem_optin_bytes > 0) {
    findings.push_back({"compile.dynamic-smem",
                        fmt::format("{} of shared memory; {} allows {}",
                                    format_bytes(log.static_smem_bytes + policy.dynamic_smem_bytes), target.arch,
                                    format_bytes(target.smem_optin_bytes)),
                        true});
  }
  for (const Remark &remark : log.remarks) {
    const std::string slug = slug_of_remark(remark);
    const std::string code = remark.code == 0 ? "" : fmt::format("(C{}) ", remark.code);
    findings.push_back({slug, code + remark.text, fails(slug)});
  }
  return findings;
}

void report_failures(const std::vector<Finding> &findings, const std::string &kernel_name,
                     support::Diagnostics &diagnostics) {
  for (const Finding &finding : findings) {
    if (!finding.fails) continue;
    support::Diagnostic d;
    d.slug = finding.slug;
    d.message = (kernel_name.empty() ? "" : kernel_name + ": ") + finding.text;
    if (const std::string hint = hint_for(finding.slug); !hint.empty()) d.hints.push_back(hint);
    diagnostics.add(std::move(d));
  }
}

}  // namespace warpwright::compile
