// SPDX-License-Identifier: Apache-2.0
// Writes and reads decisions.
#include "tools/emulator/machine/schedule.h"

#include <charconv>
#include <sstream>

namespace warpwright::emulator {

namespace {

const std::string kFirstLine = "warpwright-schedule 1";

bool take_number(const char **at, const char *end, uint32_t *number) {
  const auto [stop, error] = std::from_chars(*at, end, *number);
  *at = stop;
  return error == std::errc();
}

std::optional<Branches> read_branches(const std::string &name) {
  for (const Branches forced : {Branches::kTaken, Branches::kNotTaken})
    if (name == kBranchesNames[static_cast<size_t>(forced)]) return forced;
  return std::nullopt;
}

std::optional<Decision> read_decision(const std::string &word) {
  const char *at = word.data() + 1, *const end = word.data() + word.size();
  Decision decision;
  if (word == "t") {
    decision.kind = Decision::Kind::kTime;
    return decision;
  }
  decision.kind = word[0] == 'w' ? Decision::Kind::kWarp : Decision::Kind::kAsync;
  const char separator = word[0] == 'w' ? ':' : '*';
  if ((word[0] != 'w' && word[0] != 'a') || !take_number(&at, end, &decision.which)) return std::nullopt;
  if (at != end && (*at++ != separator || !take_number(&at, end, &decision.amount))) return std::nullopt;
  return at == end && decision.amount > 0 ? std::optional(decision) : std::nullopt;
}

}  // namespace

std::string write_schedule(const RecordedSchedule &schedule) {
  std::string text = kFirstLine + "\ncluster " + std::to_string(schedule.cluster) + "\nfinding " + schedule.slug + "\n";
  if (schedule.branches != Branches::kAsData) text += std::string("branches ") + kBranchesNames[static_cast<size_t>(schedule.branches)] + "\n";
  size_t line_start = text.size();
  for (const Decision &decision : schedule.decisions) {
    std::string word = "t";
    if (decision.kind != Decision::Kind::kTime) {
      const bool is_warp = decision.kind == Decision::Kind::kWarp;
      word = (is_warp ? "w" : "a") + std::to_string(decision.which);
      if (decision.amount != 1) word += (is_warp ? ":" : "*") + std::to_string(decision.amount);
    }
    if (text.size() - line_start + word.size() > 118) {
      text.back() = '\n';
      line_start = text.size();
    }
    text += word + " ";
  }
  text.back() = '\n';
  return text;
}

std::optional<RecordedSchedule> read_schedule(const std::string &text, std::string *why) {
  const auto fail = [&](const std::string &what) {
    *why = what;
    return std::nullopt;
  };
  std::istringstream words(text);
  std::string line, word;
  if (!std::getline(words, line) || line != kFirstLine) return fail("the first line is not \"" + kFirstLine + "\"");
  RecordedSchedule schedule;
  if (!(words >> word) || word != "cluster" || !(words >> schedule.cluster)) return fail("the cluster is missing");
  if (!(words >> word) || word != "finding" || !(words >> schedule.slug)) return fail("the finding is missing");
  while (words >> word) {
    if (word == "branches" && schedule.decisions.empty()) {
      const auto branches = words >> word ? read_branches(word) : std::nullopt;
      if (!branches) return fail("branches are taken or not-taken");
      schedule.branches = *branches;
      continue;
    }
    const auto decision = read_decision(word);
    if (!decision) return fail("\"" + word + "\" is no decision");
    if (schedule.decisions.size() == RecordedSchedule::kMaxDecisions) return fail("there are too many decisions");
    schedule.decisions.push_back(*decision);
  }
  return schedule;
}

}  // namespace warpwright::emulator
