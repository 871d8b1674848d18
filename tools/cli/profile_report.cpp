// SPDX-License-Identifier: Apache-2.0
// Profiles as table and JSON.
#include "tools/cli/profile_report.h"

#include "generator/plan/json_writer.h"
#include "generator/support/text_table.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <sstream>

namespace warpwright::cli {
namespace {

using emulator::profile::Counters;
using emulator::profile::Entry;
using emulator::profile::Line;
using plan::JsonWriter;

constexpr size_t kMostLines = 40, kMostSourceBytes = 60;

int64_t signed_of(uint64_t count) { return static_cast<int64_t>(count); }
/// Empty where there is nothing to say.
std::string count_of(uint64_t count) { return count ? support::format_thousands(signed_of(count)) : ""; }
std::string percent(uint64_t part, uint64_t whole) {
  return whole ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "";
}
/// Of something that was counted: a zero says something.
std::string count_if(bool is_counted, uint64_t count) { return is_counted ? support::format_thousands(signed_of(count)) : ""; }

/// "alu 12, shared 4": the classes with the most instructions, at most two.
std::string mix_of(const Line &line) {
  std::string text;
  auto mix = line.mix;
  for (int i = 0; i < 2; ++i) {
    size_t most = 0;
    for (size_t k = 1; k < mix.size(); ++k)
      if (mix[k] > mix[most]) most = k;
    if (!mix[most]) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", emulator::profile::kClassNames[most], percent(mix[most], line.counters.instructions));
    mix[most] = 0;
  }
  return text;
}

/// Files split at their ends of line, each once.
class Sources {
 public:
  explicit Sources(const std::map<std::string, std::string> &texts) {
    for (const auto &[file, text] : texts) {
      std::istringstream stream(text);
      for (std::string line; std::getline(stream, line);) lines_[file].push_back(line);
    }
  }
  /// The line's text, or the opcode of its costliest instruction.
  std::string text_of(const Line &line) const {
    const auto file = lines_.find(line.file);
    if (!line.file.empty() && file != lines_.end() && line.number >= 1 && line.number <= file->second.size()) {
      const std::string &text = file->second[line.number - 1];
      const size_t first = text.find_first_not_of(" \t");
      return support::shortened(first == std::string::npos ? "" : text.substr(first), kMostSourceBytes);
    }
    const Entry *most = nullptr;
    for (const Entry *entry : line.entries)
      if (!most || entry->counters.cost() > most->counters.cost()) most = entry;
    return most ? support::shortened(most->opcode, kMostSourceBytes) : "";
  }

 private:
  std::map<std::string, std::vector<std::string>> lines_;
};

std::vector<std::string> cells_of(const Line &line, std::string place, std::string source) {
  const Counters &c = line.counters;
  return {std::move(place), count_of(c.cost()), count_of(c.instructions), mix_of(line), count_if(c.shared_accesses, c.wavefronts),
          count_if(c.shared_accesses, c.extra_wavefronts), count_if(c.global_accesses, c.bytes_moved()),
          count_if(c.global_accesses, c.bytes_wasted()), count_of(c.tries), count_if(c.tries, c.refusals), count_of(c.waits),
          count_if(c.waits, c.wait_steps), count_of(c.branches), percent(c.branch_lanes_taken, c.branch_lanes),
          count_if(c.branches, c.branches_split), emulator::profile::kCauseNames[static_cast<size_t>(line.cause)], std::move(source)};
}

/// The table of lines, without the columns in which nothing was counted.
class CountTable {
 public:
  explicit CountTable(const Line &sum) {
    using support::Align;
    const std::vector<std::pair<const char *, Align>> columns = {
        {"line", Align::kLeft}, {"cost", Align::kRight}, {"warp instr.", Align::kRight}, {"mostly", Align::kLeft}, {"wavefronts", Align::kRight},
        {"extra", Align::kRight}, {"global B", Align::kRight}, {"wasted B", Align::kRight}, {"tries", Align::kRight}, {"refused", Align::kRight},
        {"waits", Align::kRight}, {"wait steps", Align::kRight}, {"branches", Align::kRight}, {"taken", Align::kRight}, {"split", Align::kRight},
        {"on", Align::kLeft}, {"source", Align::kLeft}};
    const std::vector<std::string> sums = cells_of(sum, "all", "source");
    for (size_t i = 0; i < columns.size(); ++i) {
      is_shown_.push_back(!sums[i].empty());
      if (is_shown_[i]) table_.add_column(columns[i].first, columns[i].second);
    }
  }
  void add(const Line &line, std::string place, std::string source) {
    std::vector<std::string> shown;
    const std::vector<std::string> cells = cells_of(line, std::move(place), std::move(source));
    for (size_t i = 0; i < cells.size(); ++i)
      if (is_shown_[i]) shown.push_back(cells[i]);
    table_.add_row(std::move(shown));
  }
  std::string render(const Line &sum) {
    table_.add_rule();
    add(sum, "all", "");
    return table_.render();
  }

 private:
  support::TextTable table_;
  std::vector<bool> is_shown_;
};

std::string class_table(const Line &sum) {
  support::TextTable table;
  table.add_column("class");
  table.add_column("warp instr.", support::Align::kRight);
  table.add_column("share", support::Align::kRight);
  for (size_t k = 0; k < sum.mix.size(); ++k)
    if (sum.mix[k]) table.add_row({emulator::profile::kClassNames[k], count_of(sum.mix[k]), percent(sum.mix[k], sum.counters.instructions)});
  table.add_rule();
  table.add_row({"all", count_if(true, sum.counters.instructions), ""});
  return table.render();
}

void write_counters(JsonWriter &json, const Counters &c) {
  const auto put = [&](const char *key, uint64_t count) { json.integer(key, signed_of(count)); };
  put("cost", c.cost()), put("warp_instructions", c.instructions), put("skipped", c.skipped), put("lanes", c.lanes);
  put("shared_accesses", c.shared_accesses), put("wavefronts", c.wavefronts), put("extra_wavefronts", c.extra_wavefronts);
  put("global_accesses", c.global_accesses), put("sectors", c.sectors), put("bytes_wanted", c.bytes_wanted);
  put("bytes_wasted", c.bytes_wasted());
  put("tries", c.tries), put("refusals", c.refusals), put("waits", c.waits), put("wait_steps", c.wait_steps);
  put("branches", c.branches), put("branches_taken", c.branches_taken), put("branches_split", c.branches_split);
  put("branch_lanes", c.branch_lanes), put("branch_lanes_taken", c.branch_lanes_taken);
}

void write_mix(JsonWriter &json, const Line &line) {
  json.begin_object("classes");
  for (size_t k = 0; k < line.mix.size(); ++k)
    if (line.mix[k]) json.integer(emulator::profile::kClassNames[k], signed_of(line.mix[k]));
  json.end_object();
}

void write_line(JsonWriter &json, const Line &line) {
  json.begin_object();
  if (!line.file.empty()) json.text("file", line.file);
  json.integer(line.file.empty() ? "ptx_line" : "line", line.number);
  if (line.counters.branches) json.text("branches_on", emulator::profile::kCauseNames[static_cast<size_t>(line.cause)]);
  write_counters(json, line.counters);
  write_mix(json, line);
  json.begin_list("instructions");
  for (const Entry *entry : line.entries) {
    json.begin_object();
    json.integer("ptx_line", entry->ptx_line);
    json.text("opcode", entry->opcode);
    if (entry->counters.branches) json.text("branches_on", emulator::profile::kCauseNames[static_cast<size_t>(entry->cause)]);
    write_counters(json, entry->counters);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

}  // namespace

std::string profile_text(const ProfiledLaunch &launch) {
  const Line sum = emulator::profile::sum_of(launch.entries);
  const auto lines = emulator::profile::sum_by_line(launch.entries);
  const Sources sources(launch.sources);
  std::string text = fmt::format(
      "\nProfile of {}{}, schedule {}. The emulator's counts, no times: wait steps are warp instructions that the cluster ran meanwhile under\n"
      "this schedule. Lines by cost: warp instructions, wavefronts that bank conflicts add, and 32-byte sectors' worth of wasted bytes.\n",
      launch.kernel, launch.inputs.empty() ? "" : ", " + launch.inputs + " inputs", launch.schedule);
  text += class_table(sum) + "\n";
  CountTable table(sum);
  for (size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    const Line &line = lines[i];
    table.add(line, line.file.empty() ? fmt::format("PTX {}", line.number) : fmt::format("{}:{}", line.file, line.number), sources.text_of(line));
  }
  if (lines.size() > kMostLines) {
    Line rest;
    for (size_t i = kMostLines; i < lines.size(); ++i)
      for (const Entry *entry : lines[i].entries) rest.add(*entry);
    table.add(rest, fmt::format("{} more lines", lines.size() - kMostLines), "--profile-out has them");
  }
  return text + table.render(sum);
}

std::string profile_json(const std::vector<ProfiledLaunch> &launches) {
  JsonWriter json;
  json.begin_object();
  json.text("what", "counts of the emulator, no times; wait_steps are warp instructions that the cluster ran meanwhile");
  json.begin_list("launches");
  for (const ProfiledLaunch &launch : launches) {
    json.begin_object();
    json.text("kernel", launch.kernel);
    if (!launch.inputs.empty()) json.text("inputs", launch.inputs);
    json.text("schedule", launch.schedule);
    const Line sum = emulator::profile::sum_of(launch.entries);
    json.begin_object("totals");
    write_counters(json, sum.counters);
    write_mix(json, sum);
    json.end_object();
    json.begin_list("lines");
    for (const Line &line : emulator::profile::sum_by_line(launch.entries)) write_line(json, line);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return json.take();
}

void ProfileLog::add(ProfiledLaunch launch) {
  if (!launch.entries.empty()) launches_.push_back(std::move(launch));
}

void ProfileLog::print(support::Diagnostics &diagnostics) const {
  for (const ProfiledLaunch &launch : launches_)
    if (options_.profile) fmt::print("{}", profile_text(launch));
  if (!options_.profile_out.empty()) write_result(options_.profile_out, profile_json(launches_), diagnostics);
}

}  // namespace warpwright::cli
