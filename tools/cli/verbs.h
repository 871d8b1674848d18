// SPDX-License-Identifier: Apache-2.0
// One function per verb; each prints its result to standard output, findings to standard error, and returns the exit
// code.
#pragma once

#include "tools/cli/command_tree.h"
#include "tools/cli/options.h"
#include "tools/pack/options.h"

namespace warpwright::support {
class Diagnostics;
}

namespace warpwright::cli {

struct LoweredOperator;

int run_new(const NewOptions &options);
/// What `list` can list in this build.
std::vector<std::string> list_subjects();
int run_list(const ListOptions &options);
int run_schema(const SchemaOptions &options);
int run_explain(const ExplainOptions &options);
int run_doctor(const DoctorOptions &options);
int run_completion(const CompletionOptions &options, const CommandTree &tree);
int run_plan(const PlanOptions &options);
int run_emit(const EmitOptions &options);
int run_build(const BuildOptions &options);
int run_prove(const ProveOptions &options);
int run_diff(const DiffOptions &options);
int run_show(const ShowOptions &options);
int run_run(const RunOptions &options);
int run_time(const TimeOptions &options);
/// `run --on gpu` and `--on both`, for specs of one architecture that are lowered.
int run_on_gpu(const RunOptions &options, const std::vector<LoweredOperator> &operators, support::Diagnostics &diagnostics);
/// `run --launch`: a kernel from its PTX.
int run_launch(const RunOptions &options);
int run_pack(const pack::Options &options);

}  // namespace warpwright::cli
