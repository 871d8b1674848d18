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
      {"plan.also-in-the-way", "one more field has to change before the spec plans",
       "The faults above hide this one: with every other change that is named applied, the spec still does not plan.",
       "warpwright plan SPEC --set accumulators=overlapped --set tile.n=128 --set pipeline_depth=16",
       "The hint has all the changes together; `warpwright plan SPEC --fix` applies them.", ""},
      {"plan.no-fix", "no choice that is the planner's makes the spec plan",
       "`plan --fix` tries the changes that the planner knows one at a time, then leaves ever more of the written fields to the planner. What the kernel computes is not its to change.",
       "warpwright plan SPEC --fix",
       "`plan --candidates` lists every choice with the first reason for its rejection; leave more fields to the planner.", ""},
      {"plan.bad-record", "a plan's JSON lacks a key, or has a value of the wrong type or an unknown word", "A plan is read back record by record; nothing is guessed.",
       "a plan written by `plan --json` with a key removed", "Write the plan again with `warpwright plan SPEC --json` and repeat the edit.", ""},
      {"plan.not-json", "a plan is not JSON", "The text stops being JSON at the place shown.", "a plan with a missing comma", "Correct the text, or write the plan again with `warpwright plan SPEC --json`.", ""},
      {"plan.duplicate-key", "a plan's JSON has a key twice", "One of the two values would be lost silently.", "two \"stages\" in one region", "Remove one of them.", ""},
      {"plan.region-overlap", "two regions of shared memory share bytes without saying so", "Only regions of one overlay group may share bytes; anything else is overwritten while in use.",
       "an edited plan that moves a region into its neighbour", "Move the region, or let the planner lay it out again.", ""},
      {"plan.region-misaligned", "a region of shared memory does not start where its alignment allows", "Swizzled tiles start at whole patterns, bulk copies write at multiples of 128 bytes, barriers at multiples of 8.",
       "an edited plan with an offset of 100", "Take an offset and a stride that are multiples of align_bytes.", "PTX ISA 9.0, \"Shared memory descriptor\" and \"mbarrier\""},
      {"plan.region-bytes", "a region is not as large as the copies that fill it", "A stage holds exactly what the largest payload brings; less is overrun, more is a stage lost elsewhere.",
       "an edited plan that counts LoRA-up for the pair instead of the CTA", "Correct stage_bytes, or the split of the copy.", ""},
      {"plan.smem-total", "the shared memory that is launched with is not the end of the last region", "The launch, the plan and its regions name one number.",
       "an edited plan with another used_bytes", "Let used_bytes and dynamic_smem_bytes be the end of the last region.", ""},
      {"plan.tmem-overlap", "two ranges of tensor memory share columns other than in a shared part", "Overlapped accumulators share one named part, which is released early; other overlaps are overwritten while in use.",
       "an edited plan that moves acc1 by 8 columns", "Move the range, or correct its parts.", ""},
      {"plan.tmem-alloc", "the allocated columns of tensor memory are not legal or do not cover the ranges", "An allocation is a power of two of at least 32 columns.",
       "an edited plan with alloc_cols 500", "Take the next power of two.", "PTX ISA 9.0, \"tcgen05.alloc\""},
      {"plan.barrier-mismatch", "a barrier's slots, arrivals or bytes are not what its channel implies", "Counts and bytes follow from the channel's chain, the roles and the copies; another number hangs or lets data be read early.",
       "an edited plan that expects 16 bytes more", "Remove the edit, or change the copies or roles that the number follows from.", "PTX ISA 9.0, \"mbarrier\""},
      {"plan.tx-over-limit", "a barrier would expect more bytes than it can count", "The transaction count of a phase is at most 2^20 - 1 bytes.", "one barrier for a megabyte of copies", "Use more barriers or smaller stages.", "PTX ISA 9.0, \"Tx-count\""},
      {"plan.warp-overlap", "two roles have the same warp", "A warp plays one role.", "an edited plan with first_warp 4 twice", "Give each role its own warps.", ""},
      {"plan.too-many-threads", "the roles need more threads than the launch or the hardware has", "A CTA has at most 1024 threads.", "an edited plan with a role of 30 warps", "Take fewer warps.", "CUDA C++ Programming Guide 13.0, \"Compute Capabilities\""},
      {"plan.too-many-registers", "the roles take more registers than an SM has", "An SM has 65,536 registers.", "an edited plan with 255 registers for 512 threads", "Take fewer registers or warps.", "CUDA C++ Programming Guide 13.0, \"Compute Capabilities\""},
      {"plan.unknown-name", "a plan names a role or region that it does not have", "Records refer to each other by name.", "an edited plan with a renamed region", "Use the name of a record that exists.", ""},
      {"diff.lost-stage", "the new plan has fewer pipeline stages", "A stage lost silently is how a published kernel lost a third of its speed; --fail-on lost-stage refuses it.",
       "warpwright diff old.json new.json --fail-on lost-stage", "`warpwright plan NEW` shows what is in the way and which changes give the stage back.", ""},
      {"diff.slower", "the new plan is predicted more than 1 % slower", "The prediction is a model's, at the clock that it names; nothing was measured.",
       "warpwright diff old.json new.json --fail-on slower --shape m=4352", "Compare the parts of both predictions with `warpwright plan`.", ""},
      {"diff.slack", "less shared memory stays free than asked for", "With --min-slack-bytes N: less than N; with --fail-on slack alone: less than before.",
       "warpwright diff old.json new.json --min-slack-bytes 4096", "Take smaller staging or fewer stages.", ""},
  };
}

}  // namespace warpwright::cli
