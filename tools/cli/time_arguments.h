// SPDX-License-Identifier: Apache-2.0
// The options of `time`. Included once, beside CLI11.
#pragma once

#include "tools/cli/argument_values.h"

namespace warpwright::cli {

inline void add_time_options(CLI::App *verb, TimeOptions &time) {
  verb->add_option("SPEC|ARCHIVE", time.operators, "Spec files, folders of them, archives")->required()->type_name("");
  verb->add_option("--on", time.on, "Where: gpu")->required()->check(CLI::IsMember({"gpu"}))->type_name("WHERE");
  verb->add_option_function<std::vector<std::string>>(
          "--shape", [&time](const std::vector<std::string> &texts) { for (const std::string &text : texts) time.shapes.push_back(parse_shape(text)); },
          "Launch variables: m=16,n=3840; may be given again")
      ->allow_extra_args(false)->take_all()->type_name("NAME=N,…");
  verb->add_option("--device", time.device, "Which GPU")->check(CLI::Range(0, 1023))->type_name("N");
  verb->add_option("--launches", time.launches, "whole: each after its predecessor; dependent: early where the kernel can; both, in turn")
      ->check(CLI::IsMember({"whole", "dependent", "both"}))->type_name("KIND");
  verb->add_flag_callback("--no-pdl", [&time] { time.launches = "whole"; }, "--launches whole: no programmatic dependent launch")
      ->excludes(verb->get_option("--launches"));
  verb->add_option("--runs", time.runs, "Samples of each kind, one graph of many launches each")->check(CLI::Range(1, 100000))->type_name("N");
  verb->add_option("--warm-up-ms", time.warm_up_ms, "Work before the first sample")->check(CLI::Range(0, 60000))->type_name("N");
  verb->add_option("--read-ceiling-tbps", time.read_ceiling_tbps, "10^12 bytes a second that the memory gives; default: measured")
      ->check(CLI::Range(0.001, 1000.0))->type_name("X");
  verb->add_option("--timeout", time.timeout_seconds, "Seconds after which a graph counts as hung")->check(CLI::Range(1, 86400))->type_name("N");
  verb->add_option("--json", time.json_file, "File for all samples, clocks and shares")->type_name("FILE");
}

}  // namespace warpwright::cli
