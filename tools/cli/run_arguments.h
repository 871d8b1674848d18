// SPDX-License-Identifier: Apache-2.0
// The options of `run` but for those that other verbs have too. Included once, beside CLI11.
#pragma once

#include "tools/cli/options.h"

#include <CLI/CLI.hpp>

namespace warpwright::cli {

inline void add_run_options(CLI::App *verb, RunOptions &run) {
  verb->add_option("SPEC", run.specs, "Spec files, folders of them, or - for standard input")->type_name("");
  verb->add_option("--launch", run.launch, "Instead of SPEC: a launch description of a kernel's PTX")->type_name("FILE");
  verb->add_option("--on", run.on, "Where: emulator, gpu, or both: the outputs must be equal")
      ->required()->check(CLI::IsMember({"emulator", "gpu", "both"}))->type_name("WHERE");
  verb->add_option("--archive", run.archive, "Kernels from FILE, which build made of the same SPEC, instead of compiling them")->type_name("FILE");
  verb->add_option("--device", run.device, "GPU: which one")->check(CLI::Range(0, 1023))->type_name("N");
  verb->add_option("--repeats", run.repeats, "GPU: launches of each trial, all with the same outputs")->check(CLI::Range(1, 100000))->type_name("N");
  verb->add_option("--timeout", run.timeout_seconds, "GPU: seconds after which a launch counts as hung")
      ->check(CLI::Range(1, 86400))->type_name("N");
  verb->add_option("--inputs", run.inputs, "exact: any order of summation is exact; random; both")
      ->check(CLI::IsMember({"exact", "random", "both"}))->type_name("KIND");
  verb->add_option("--seed", run.seed, "Of the inputs")->type_name("N");
  verb->add_option("--schedule", run.schedules, "lazy, eager, random:SEED, adversarial:WARP; default: lazy, or the description's")
      ->delimiter(',')->allow_extra_args(false)->type_name("NAME,…");
  verb->add_option("--policy", run.policy, "tensor-order: tensor work of a thread is in order of issue; ptx-strict: only the pairs that the ISA lists")
      ->check(CLI::IsMember({"tensor-order", "ptx-strict"}))->type_name("NAME");
  verb->add_flag("--no-races", run.no_races, "Leave out happens-before: quicker; hazards that the schedule shows are still found");
  verb->add_option("--waive", run.waivers, "Findings that are accepted, by slug")->delimiter(',')->allow_extra_args(false)->type_name("SLUG,…");
  verb->add_option("--replay", run.replay, "Takes the decisions in FILE, which --schedule-out wrote, up to their finding")
      ->excludes(verb->get_option("--schedule"))->type_name("FILE");
  verb->add_flag("--force-branches", run.force_branches, "Run each schedule also with branches on loaded data taken, and not taken; values are not judged then")
      ->excludes(verb->get_option("--replay"));
  verb->add_option("--schedule-out", run.schedule_out, "File for the decisions that led to the first finding")->type_name("FILE");
  verb->add_flag("--profile", run.profile, "Print counts by source line: bank conflicts, uncoalesced bytes, waits, branches; no times");
  verb->add_option("--profile-out", run.profile_out, "File for the same counts as JSON")->type_name("FILE");
  verb->add_option("-j,--jobs", run.jobs, "Clusters at a time")->check(CLI::Range(1, 256))->type_name("N");
  verb->add_option("--ptx", run.ptx, "PTX to run instead of what nvcc makes of one SPEC, or of the description's")->type_name("FILE");
  verb->add_option("--sms", run.num_sms, "Multiprocessors; default: the device's")->check(CLI::Range(1, 1024))->type_name("N");
}

/// The first option given that needs the emulator's inside, or nothing.
inline std::string emulator_option(const CLI::App *verb) {
  for (const char *name : {"--launch", "--schedule", "--policy", "--waive", "--replay", "--force-branches", "--schedule-out", "--profile", "--profile-out", "--ptx"})
    if (verb->get_option(name)->count() > 0) return name;
  // `--on both` runs the emulator as well.
  for (const char *name : {"--no-races", "--jobs"})
    if (verb->get_option("--on")->as<std::string>() == "gpu" && verb->get_option(name)->count() > 0) return name;
  return {};
}

}  // namespace warpwright::cli
