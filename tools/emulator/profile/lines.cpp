// SPDX-License-Identifier: Apache-2.0
// Sums and their order.
#include "tools/emulator/profile/lines.h"

#include "tools/emulator/profile/access.h"

#include <algorithm>
#include <map>

namespace warpwright::emulator::profile {

void Counters::add(const Counters &o) {
  instructions += o.instructions, skipped += o.skipped, lanes += o.lanes;
  shared_accesses += o.shared_accesses, wavefronts += o.wavefronts, extra_wavefronts += o.extra_wavefronts;
  global_accesses += o.global_accesses, sectors += o.sectors, bytes_wanted += o.bytes_wanted;
  tries += o.tries, refusals += o.refusals, waits += o.waits, wait_steps += o.wait_steps;
  branches += o.branches, branches_taken += o.branches_taken, branches_split += o.branches_split;
  branch_lanes += o.branch_lanes, branch_lanes_taken += o.branch_lanes_taken;
}

uint64_t Counters::bytes_moved() const { return sectors * kSectorBytes; }

uint64_t Counters::cost() const { return instructions + extra_wavefronts + bytes_wasted() / kSectorBytes; }

void Line::add(const Entry &entry) {
  counters.add(entry.counters);
  mix[static_cast<size_t>(class_of(entry.opcode))] += entry.counters.instructions;
  if (entry.counters.branches) cause = std::max(cause, entry.cause);
  entries.push_back(&entry);
}

std::vector<Line> sum_by_line(const std::vector<Entry> &entries) {
  std::map<std::pair<std::string, uint32_t>, Line> sums;
  for (const Entry &entry : entries) {
    const bool has_source = !entry.file.empty() && entry.source_line;
    const std::string file = has_source ? entry.file : "";
    const uint32_t number = has_source ? entry.source_line : entry.ptx_line;
    Line &line = sums[{file, number}];
    line.file = file;
    line.number = number;
    line.add(entry);
  }
  std::vector<Line> lines;
  for (auto &[place, line] : sums)
    if (line.counters.instructions || line.counters.waits) lines.push_back(std::move(line));
  // Of equal cost the earlier line first, as the map has them.
  std::stable_sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.counters.cost() > b.counters.cost(); });
  return lines;
}

Line sum_of(const std::vector<Entry> &entries) {
  Line sum;
  for (const Entry &entry : entries) sum.add(entry);
  return sum;
}

}  // namespace warpwright::emulator::profile
