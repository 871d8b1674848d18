// SPDX-License-Identifier: Apache-2.0
// What the user is told: located diagnostics with stable slugs, collected rather than thrown.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpwright::support {

/// A place in a file that the user wrote. `line` and `column` count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  int width_chars = 1;  ///< how many characters the caret line underlines
};

enum class Severity { kError, kWarning, kNote };

/// Whether rendered text carries terminal colours; callers decide by isatty and NO_COLOR.
enum class Colour { kNever, kAlways };

/// One finding: what, where, how much, and what would work.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string slug;          ///< stable, `stage.problem`: what tests, docs and users search for
  SourceLocation where;
  std::string path;          ///< dotted path of the spec field ("lora.rank"), or empty
  std::string message;       ///< what, with the value and the limit
  std::vector<std::string> notes;  ///< further lines: a table, a source
  std::vector<std::string> hints;  ///< each one a command to paste or a flag to add
};

/// Collects diagnostics; nothing is printed until somebody renders it.
///
/// Threads   one instance per thread.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  /// Remembers the text of a file, so that render() can print the line under a finding with a caret.
  void add_source(const std::string &file, std::string text);
  /// Takes over every finding and remembered text of `other`.
  void append(const Diagnostics &other);

  bool has_errors() const;
  int error_count() const;
  bool has_slug(const std::string &slug) const;
  const std::vector<Diagnostic> &all() const { return diagnostics_; }

  /// `file:line:column: error[slug]: path: message`, the source line, a caret, notes and hints; one after the other.
  /// Control characters of user text are shown as escapes; over-long source lines are cut around the caret.
  std::string render(Colour colour = Colour::kNever) const;
  /// The same as a JSON array of objects with keys severity, slug, file, line, column, path, message, notes, hints.
  std::string render_json() const;

 private:
  std::vector<Diagnostic> diagnostics_;
  std::vector<std::pair<std::string, std::string>> sources_;
};

/// A bug in Warpwright, as opposed to bad input; `main` turns it into exit 3. Never thrown through an MLIR pass.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError with file, line and `message` unless `condition` holds.
#define WARPWRIGHT_ASSERT(condition, message)                                                              \
  do {                                                                                                     \
    if (!(condition))                                                                                      \
      throw ::warpwright::support::InternalError(std::string(__FILE__ ":") + std::to_string(__LINE__) +    \
                                                 ": " + (message));                                        \
  } while (false)

/// Exit codes of every verb.
enum class Exit : int {
  kOk = 0,
  kBadInput = 1,
  kUsage = 2,
  kOurBug = 3,
  kCheckFailed = 4,
  kEnvironment = 5,
  kInterrupted = 130,
};

}  // namespace warpwright::support
