// SPDX-License-Identifier: Apache-2.0
// What it means that a run is not a path of the final IR's protocol.
#include "tools/cli/explain.h"

namespace warpwright::cli {

namespace {

struct Row {
  const char *slug, *what, *why, *fix;
};

constexpr const char *kCompare = "The message names the operation of the IR and its place in the spec, what was seen, and its lines; `warpwright emit --dump-after all` has the IR.";

constexpr Row kRows[] = {
    {"conformance.order", "a thread does things in another order than the IR",
     "Each role of the final IR is a sequence, and what was proven of it holds for that order alone.", kCompare},
    {"conformance.missing", "a thread leaves out what the IR has",
     "Somebody waits for it, or counts on it: a wait that was dropped shows as a race on hardware, rarely.", kCompare},
    {"conformance.extra", "a thread does what the IR does not have",
     "One arrival or commit too many completes a phase early; the plan's counts do not have it.", kCompare},
    {"conformance.barrier", "an operation names another barrier, slot or CTA than the IR",
     "Where a barrier lies is the plan's: its offset in dynamic shared memory and eight bytes for each slot.", kCompare},
    {"conformance.parity", "a wait names another parity than the IR",
     "The parity follows from the turn of the ring. The other one is that of the phase before or after.", kCompare},
    {"conformance.count", "a count is not that of the IR",
     "Of arrivals, threads of a barrier, columns, or bulk groups that may be in flight.", kCompare},
    {"conformance.bytes", "the bytes of a copy or an announcement are not those of the IR",
     "The bytes of a phase follow from the plan's payloads, for one CTA or the pair.", kCompare},
    {"conformance.operand", "a copy or tensor work has another tensor map, buffer or column than the IR",
     "Regions and columns are the plan's; which buffer it is follows from the turn.", kCompare},
    {"conformance.trips", "tiles are not worked on as often as planned",
     "Every role of a cluster takes the same tiles, and all clusters together the plan's number of them.",
     "Compare the loops over tiles of the roles that the message names."},
};

}  // namespace

std::vector<Explanation> explain_conformance() {
  std::vector<Explanation> all;
  for (const Row &row : kRows) all.push_back({row.slug, row.what, row.why, "", row.fix, "tools/emulator/README.md, \"Conformance\""});
  return all;
}

}  // namespace warpwright::cli
