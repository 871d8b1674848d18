// SPDX-License-Identifier: Apache-2.0
// Checks a launch, decodes its kernel, and runs its clusters.
#include "tools/emulator/machine/launch.h"

#include "tools/emulator/machine/cluster.h"
#include "tools/emulator/machine/forced_branches.h"
#include "tools/emulator/machine/profiler.h"
#include "tools/emulator/machine/tracer.h"
#include "tools/emulator/ptx/link.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace warpwright::emulator {

void LaunchState::add(uint64_t cluster, ClusterFindings found) {
  if (found.findings.empty()) return;
  findings[cluster] = std::move(found);
  if (findings.size() > options.max_findings) findings.erase(std::prev(findings.end()));
}

ptx::Dim3 LaunchState::first_cta(uint64_t cluster) const {
  const ptx::Dim3 shape = cluster_shape;
  const ptx::Dim3 clusters{launch.grid.x / shape.x, launch.grid.y / shape.y, launch.grid.z / shape.z};
  const auto x = static_cast<uint32_t>(cluster % clusters.x), y = static_cast<uint32_t>(cluster / clusters.x % clusters.y),
             z = static_cast<uint32_t>(cluster / clusters.x / clusters.y);
  return {x * shape.x, y * shape.y, z * shape.z};
}

Report LaunchState::report() {
  Report report;
  report.statistics = statistics;
  report.is_complete = statistics.clusters == num_clusters;
  if (profile_plan) report.profile = profile_plan->entries(*launch.module, *launch.kernel, counters);
  ClusterFindings all;
  for (auto &[cluster, found] : findings) {
    if (cluster > stopped_at) break;
    if (all.findings.empty() && !found.schedule.decisions.empty() &&
        found.schedule.decisions.size() <= RecordedSchedule::kMaxDecisions)
      report.schedule = write_schedule(found.schedule);
    for (Finding &finding : found.findings) all.add(std::move(finding), options.max_findings);
    all.left_out += found.left_out;
  }
  report.findings = std::move(all.findings);
  report.findings_left_out = all.left_out;
  return report;
}

namespace {

std::string text_of(ptx::Dim3 d) {
  return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

/// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", for 9.0 and 10.0.
constexpr uint32_t kMaxThreads = 1024;
constexpr uint32_t kMaxClusterCtas = 16;  // above 8 a kernel asks for it: cudaFuncAttributeNonPortableClusterSizeAllowed
constexpr uint32_t kMaxSharedBytes = 227 * 1024;  // of a block, besides what the system reserves
constexpr uint64_t kMaxClusters = uint64_t{1} << 31;

Finding check_launch(const Launch &launch, ptx::Dim3 cluster, const Program &program) {
  const ptx::Kernel &kernel = *launch.kernel;
  const ptx::Dim3 grid = launch.grid, block = launch.block;
  if (grid.count() == 0 || block.count() == 0 || cluster.count() == 0)
    return {"launch.empty", "grid " + text_of(grid) + ", block " + text_of(block) + ", cluster " + text_of(cluster), ""};
  if (block.count() > kMaxThreads) return {"launch.threads", "block " + text_of(block) + ": at most 1,024 threads", ""};
  if (kernel.max_threads.x && block.count() > kernel.max_threads.count())
    return {"launch.threads", "block " + text_of(block) + "; the kernel allows " + std::to_string(kernel.max_threads.count()) + " threads", ""};
  if (kernel.required_threads.x && text_of(block) != text_of(kernel.required_threads))
    return {"launch.threads", "block " + text_of(block) + "; the kernel requires " + text_of(kernel.required_threads), ""};
  if (kernel.cluster.x && text_of(cluster) != text_of(kernel.cluster))
    return {"launch.cluster", "cluster " + text_of(cluster) + "; the kernel requires " + text_of(kernel.cluster), ""};
  if (cluster.count() > kMaxClusterCtas) return {"launch.cluster", "cluster " + text_of(cluster) + ": at most 16 CTAs", ""};
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z || grid.count() / cluster.count() > kMaxClusters)
    return {"launch.cluster", "grid " + text_of(grid) + " is not made of whole clusters of " + text_of(cluster), ""};
  if (launch.parameters.size() != kernel.parameter_bytes)
    return {"launch.parameters", std::to_string(launch.parameters.size()) + " bytes of parameters; the kernel takes " +
                                     std::to_string(kernel.parameter_bytes), ""};
  const uint64_t shared = uint64_t{program.static_shared_bytes} - kReservedSharedBytes + launch.dynamic_shared_bytes;
  if (shared > kMaxSharedBytes)
    return {"launch.shared-memory", std::to_string(shared) + " bytes of shared memory; a block has " + std::to_string(kMaxSharedBytes), ""};
  return {};
}

/// Returns how many other clusters it has taken over.
uint32_t run_one(LaunchState &state, uint64_t i) {
  Cluster cluster(state, i, state.first_cta(i));
  std::optional<Profiler> profiler;
  if (state.profile_plan)
    cluster.profiler = &profiler.emplace(*state.profile_plan, cluster.ctas.size() * cluster.ctas.front()->warps.size());
  std::optional<Tracer> tracer;
  if (state.trace_plan) cluster.tracer = &tracer.emplace(*state.trace_plan, state.launch.trace, cluster);
  if (state.options.replay) cluster.replay(*state.options.replay);
  else cluster.run();
  if (tracer) tracer->finish();
  const std::lock_guard<std::mutex> lock(state.mutex);
  Statistics &sum = state.statistics;
  sum.warp_instructions += cluster.statistics.warp_instructions;
  sum.async_operations += cluster.async.num_issued();
  sum.mmas += cluster.statistics.mmas;
  sum.bytes_loaded += cluster.statistics.bytes_loaded;
  sum.bytes_stored += cluster.statistics.bytes_stored;
  for (size_t op = 0; profiler && op < state.counters.size(); ++op) state.counters[op].add(profiler->counters()[op]);
  if (cluster.live_threads == 0 && !cluster.is_stopped()) sum.clusters += 1 + cluster.num_cancelled;
  state.add(i, std::move(cluster.findings));
  return cluster.num_cancelled;
}

void run_clusters(LaunchState &state, std::atomic<uint64_t> &next) {
  for (uint64_t first = next++; first < state.cancel_stride; first = next++)
    for (uint64_t i = first; i < state.num_clusters && i < state.stopped_at;) i += state.cancel_stride * (1 + run_one(state, i));
}

Report refusal(std::string slug, std::string text, const ptx::Place &place) {
  Report report;
  report.findings.push_back({std::move(slug), std::move(text), place.line ? "PTX line " + std::to_string(place.line) : ""});
  return report;
}

Report run_linked(const Launch &given, const ptx::Linked &linked, GlobalMemory &memory, const Options &options);

/// How many clusters the device starts before any of them ends: of a kernel that cancels others a quarter.
uint64_t cancel_stride_of(const ptx::Kernel &kernel, uint64_t clusters) {
  const bool cancels = std::any_of(kernel.instructions.begin(), kernel.instructions.end(), [](const ptx::Instruction &instruction) {
    return instruction.opcode.starts_with("clusterlaunchcontrol.try_cancel");
  });
  return cancels ? (clusters + 3) / 4 : clusters;
}

}  // namespace

Report run(const Launch &given, GlobalMemory &memory, const Options &options) {
  const ptx::Linked linked = ptx::link(*given.module, *given.kernel);
  if (!linked.error.slug.empty()) return refusal(linked.error.slug, linked.error.text, linked.error.place);
  if (given.variables) return run_linked(given, linked, memory, options);
  Launch launch = given;
  ModuleMemory variables;
  if (const Error error = variables.place(*given.module, memory)) return refusal(error.slug, error.text, {});
  launch.variables = &variables;
  Report report = run_linked(launch, linked, memory, options);
  variables.release(memory);
  return report;
}

namespace {

Report run_linked(const Launch &given, const ptx::Linked &linked, GlobalMemory &memory, const Options &options) {
  Launch launch = given;
  if (linked.kernel) launch.kernel = &*linked.kernel;
  Program program;
  if (const DecodeError error = decode(*launch.kernel, program, launch.variables->addresses()); !error.slug.empty())
    return refusal(error.slug, error.text, error.place);
  force_branches(options.replay ? options.replay->branches : options.branches, program);
  ptx::Dim3 cluster = launch.cluster.x ? launch.cluster : launch.kernel->cluster;
  if (cluster.x == 0) cluster = {};
  LaunchState state(launch, program, options, memory, cluster);
  if (Finding finding = check_launch(launch, cluster, program); !finding.slug.empty()) {
    Report report;
    report.findings.push_back(std::move(finding));
    return report;
  }
  std::optional<ProfilePlan> profile_plan;
  if (options.profiles) {
    state.profile_plan = &profile_plan.emplace(*launch.kernel);
    state.counters.resize(profile_plan->rows.size());
  }
  std::optional<TracePlan> trace_plan;
  if (launch.trace.listen) state.trace_plan = &trace_plan.emplace(*launch.kernel);
  const uint64_t count = state.num_clusters = launch.grid.count() / cluster.count();
  state.cancel_stride = cancel_stride_of(*launch.kernel, count);
  if (options.replay) {
    const uint64_t which = options.replay->cluster;
    if (which < count) run_one(state, which);
    else state.add(0, {{{"run.replay-differs", "there is no cluster " + std::to_string(which) + " of " + std::to_string(count), ""}}});
    return state.report();
  }
  std::atomic<uint64_t> next{0};
  std::vector<std::thread> helpers;
  for (uint32_t i = 1; i < std::min<uint64_t>(options.jobs, count); ++i) helpers.emplace_back([&] { run_clusters(state, next); });
  run_clusters(state, next);
  for (std::thread &helper : helpers) helper.join();
  return state.report();
}

}  // namespace

}  // namespace warpwright::emulator
