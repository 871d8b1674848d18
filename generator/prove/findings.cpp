// SPDX-License-Identifier: Apache-2.0
// Turns findings into diagnostics.
#include "generator/prove/findings.h"

#include "generator/support/text_table.h"

namespace warpwright::prove {

bool Findings::is_new(const char *slug, const Origin &origin) {
  return seen_.emplace(slug, origin.op, origin.where.file, origin.where.line, origin.where.column).second;
}

void Findings::add(const char *slug, const Origin &origin, const std::string &message,
                   std::vector<std::string> notes) {
  support::Diagnostic diagnostic;
  diagnostic.slug = slug;
  diagnostic.where = origin.where;
  diagnostic.message = protocol_.kernel + ": " + message;
  diagnostic.notes = std::move(notes);
  if (!schedule_.empty()) diagnostic.notes.push_back("schedule: " + schedule_);
  diagnostics_.add(std::move(diagnostic));
}

std::string describe(const Event &event) {
  return "`" + event.origin.op + "` (turn " + std::to_string(event.turn) + ")";
}

std::string count_of(int64_t count, const std::string &singular) {
  return support::format_thousands(count) + " " + singular + (count == 1 ? "" : "s");
}

}  // namespace warpwright::prove
