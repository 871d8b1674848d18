// SPDX-License-Identifier: Apache-2.0
// What the messages of the protocol check mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_prove() {
  return {
      {"prove.deadlock", "roles wait for ever",
       "The kernel's barriers were run to the end of several tiles, with each role held at each of its waits while the others run on. In this run some roles wait on barriers on which nobody will arrive any more. The notes list each waiter with its barrier's phase and what is missing.",
       "a wait whose initial parity is inverted",
       "If it is a shipped or generated kernel, report it as a bug. In an edited one, look at the barrier of the first waiter: who should have arrived?", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
      {"prove.over-arrival", "a barrier gets more arrivals in a phase than it counts",
       "The surplus arrival counts for the next phase (or is undefined), so the next wait passes too early.",
       "mbarrier.init with a count one too small",
       "Make the count equal the arrivals of all CTAs that signal the barrier; the plan's table of barriers has the right number.", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
      {"prove.byte-mismatch", "the bytes that copies complete are not the bytes that were announced",
       "A phase completes when the pending count and the outstanding bytes are both zero. Too few bytes hang the kernel, too many complete a later phase early.",
       "a pair whose leader announces one CTA's bytes instead of both",
       "Bytes follow from the plan's payloads; compare the message's two sums with `warpwright plan`.", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
      {"prove.lag", "a waiter is two phases behind its barrier",
       "A wait names only the parity of a phase. A role that is two phases late sees its own parity again and would take an old completion for a new one, or wait for ever.",
       "a barrier that lets a producer run on while a consumer still waits",
       "Every phase must need an arrival of the slowest waiter; add the missing release.", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
      {"prove.stale-wait", "a wait passes on an older phase of the same parity",
       "The role believes it waits for a phase that has not been reached, but the barrier's last completed phase has the same parity, so the wait does not block.",
       "a wait that is left out once and repeated later",
       "Count the waits per turn of the ring: exactly one for each phase.", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
      {"prove.undrained", "something is outstanding at exit",
       "Bytes, arrivals or tensor work were still on their way when a CTA ended. The peer's shared memory may already belong to another kernel then.",
       "a CTA of a pair that exits while its peer still signals its barriers",
       "Wait for the last phase of every ring before the final cluster barrier.", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
      {"prove.overwrite", "a region may be written while it is still read",
       "Between the last read and this write there is no chain of barriers that orders them. On hardware the result depends on timing.",
       "a release before the last read",
       "Release a slot after its last read; the notes name both accesses.", "PTX ISA 9.0, \"Memory Consistency Model\""},
      {"prove.unfilled", "a region may be read before it is written",
       "Between the write and this read there is no chain of barriers that orders them, or nothing was written there at all.",
       "a dropped wait on a full barrier",
       "Wait for the barrier that the write completes; the notes name both accesses.", "PTX ISA 9.0, \"Memory Consistency Model\""},
      {"prove.uninitialised", "a barrier is used before its initialisation is known to have happened, or initialised after use",
       "mbarrier.init must be seen by every thread and, in a cluster, by the other CTA before the first arrival.",
       "a missing fence or cluster barrier after mbarrier.init",
       "Keep initialisation, fence and cluster barrier in this order before the roles start.", "PTX ISA 9.0, \"Parallel Synchronization and Communication Instructions: mbarrier\""},
  };
}

}  // namespace warpwright::cli
