// SPDX-License-Identifier: Apache-2.0
// What the messages of the plan stage mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_plan() {
  return {
      {"plan.smem-over-budget", "the plan needs more shared memory than a CTA may have",
       "Every region, its stages, alignment and barriers are counted; the table of the message shows where the bytes are. The limit is what the architecture grants one CTA with opt-in.",
       "warpwright plan SPEC --set pipeline_depth=16",
       "Take a smaller pipeline_depth or let it be auto; the hints of the message are changes that were tried and fit.", "CUDA C++ Programming Guide 13.0, \"Compute Capabilities\", technical specifications"},
      {"plan.tmem-over-budget", "the plan needs more tensor-memory columns than there are",
       "Accumulators and scale factors share 512 columns in each CTA.",
       "warpwright plan SPEC --set tile.n=192 --set accumulators=double --set ordering=strict",
       "accumulators \"overlapped\" or \"single\", or a smaller tile.n.", "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Tensor Memory\""},
      {"plan.strict-needs-scale-copies", "strict ordering needs two copies of the scale factors in tensor memory, and they do not fit",
       "Strict ordering waits for a commit before it overwrites scale factors; with one copy every K tile would wait for the tile before.",
       "ordering strict with a tile whose accumulators leave too few columns",
       "ordering \"pipe\", accumulators \"single\", or a smaller tile.n.", "PTX ISA 9.0, \"TensorCore 5th Generation Family Instructions\", \"Tensor Memory\""},
      {"plan.no-fix", "no single change makes the spec plan",
       "`plan --fix` tries the changes that the planner knows one at a time and keeps the first that plans. Here none did.",
       "warpwright plan SPEC --fix",
       "`plan --candidates` lists every choice with the first reason for its rejection; leave more fields to the planner.", ""},
  };
}

}  // namespace warpwright::cli
