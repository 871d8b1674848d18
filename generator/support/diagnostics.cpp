// SPDX-License-Identifier: Apache-2.0
// Rendering of diagnostics for people (caret under the source line) and for programs (JSON).
#include "generator/support/diagnostics.h"

#include "generator/support/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpwright::support {
namespace {

std::string word_of(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "error";
}

/// Text that cannot move the cursor or colour the terminal; newlines stay.
std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = utf8_sequence_bytes(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
    } else if (bytes == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0) {
      out += fmt::format("\\u00{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[at + 1])));
    } else if (bytes > 1) {
      out.append(text, at, bytes);
    } else if ((byte < 0x20 && byte != '\n') || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      out += text[at];
    }
    at += bytes == 0 ? 1 : bytes;
  }
  return out;
}

/// The line numbered `line` (from 1) without its end, or nothing.
std::string_view line_of(std::string_view text, int line) {
  for (int number = 1; number < line; ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

/// The source line and its caret line, with the line number in a margin.
std::string excerpt(std::string_view source, const SourceLocation &where) {
  constexpr int kShownChars = 100;
  constexpr int kCharsBeforeCaret = 60;

  // One cell per code point: tabs become a space and control characters '?', so that the caret stays below its character.
  std::vector<std::string> cells;
  const std::string_view line = line_of(source, where.line);
  for (size_t at = 0; at < line.size();) {
    const size_t bytes = utf8_sequence_bytes(line, at);
    const auto byte = static_cast<unsigned char>(line[at]);
    if (bytes == 0 || (byte < 0x20 && byte != '\t') || byte == 0x7F) {
      cells.emplace_back("?");
    } else {
      cells.emplace_back(byte == '\t' ? " " : std::string(line.substr(at, bytes)));
    }
    at += bytes == 0 ? 1 : bytes;
  }
  const int total = static_cast<int>(cells.size());
  const int caret = std::clamp(where.column - 1, 0, total);
  const int first = total <= kShownChars ? 0 : std::max(0, std::min(caret - kCharsBeforeCaret, total - kShownChars));
  const int end = std::min(total, first + kShownChars);

  std::string text = first > 0 ? "…" : "";
  for (int i = first; i < end; ++i) text += cells[static_cast<size_t>(i)];
  if (end < total) text += "…";
  const int tildes = std::max(0, std::min(where.width_chars - 1, end - caret - 1));
  const std::string number = std::to_string(where.line);
  const std::string under(static_cast<size_t>(caret - first + (first > 0 ? 1 : 0)), ' ');
  return fmt::format("{:>5} | {}\n{:>5} | {}^{}\n", number, text, "", under,
                     std::string(static_cast<size_t>(tildes), '~'));
}

std::string indented(const std::string &text, const std::string &first_line_prefix) {
  std::string out;
  std::string prefix = first_line_prefix;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end == text.size() && end == at && at != 0) break;  // a final newline opens no further line
    out += prefix + text.substr(at, end - at) + "\n";
    prefix = std::string(first_line_prefix.size(), ' ');
    at = end + 1;
  }
  return out;
}

std::string json_array(const std::vector<std::string> &texts) {
  std::string out = "[";
  for (size_t i = 0; i < texts.size(); ++i) out += (i == 0 ? "" : ", ") + json_quote(texts[i]);
  return out + "]";
}

}  // namespace

void Diagnostics::add(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }

void Diagnostics::add_source(const std::string &file, std::string text) {
  for (auto &[name, known] : sources_) {
    if (name == file) {
      known = std::move(text);
      return;
    }
  }
  sources_.emplace_back(file, std::move(text));
}

void Diagnostics::append(const Diagnostics &other) {
  for (const auto &[file, text] : other.sources_) add_source(file, text);
  diagnostics_.insert(diagnostics_.end(), other.diagnostics_.begin(), other.diagnostics_.end());
}

bool Diagnostics::has_errors() const { return error_count() != 0; }

int Diagnostics::error_count() const {
  return static_cast<int>(std::count_if(diagnostics_.begin(), diagnostics_.end(),
                                        [](const Diagnostic &d) { return d.severity == Severity::kError; }));
}

bool Diagnostics::has_slug(const std::string &slug) const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic &d) { return d.slug == slug; });
}

std::string Diagnostics::render(Colour colour) const {
  const bool coloured = colour == Colour::kAlways;
  std::string out;
  for (const Diagnostic &d : diagnostics_) {
    std::string place = printable(d.where.file);
    if (!place.empty() && d.where.line > 0) place += fmt::format(":{}:{}", d.where.line, d.where.column);
    if (!place.empty()) place += ": ";
    const std::string path = d.path.empty() ? "" : printable(d.path) + ": ";
    std::string kind = fmt::format("{}[{}]", word_of(d.severity), d.slug);
    if (coloured) {
      const char *code = d.severity == Severity::kError ? "31" : d.severity == Severity::kWarning ? "35" : "36";
      kind = fmt::format("\x1b[1;{}m{}\x1b[0m", code, kind);
    }
    out += fmt::format("{}{}: {}{}\n", place, kind, path, printable(d.message));
    for (const auto &[file, text] : sources_) {
      if (file == d.where.file && d.where.line > 0) out += excerpt(text, d.where);
    }
    for (const std::string &note : d.notes) out += indented(printable(note), "  ");
    for (const std::string &hint : d.hints) out += indented(printable(hint), "  hint: ");
  }
  return out;
}

std::string Diagnostics::render_json() const {
  std::string out = "[";
  for (size_t i = 0; i < diagnostics_.size(); ++i) {
    const Diagnostic &d = diagnostics_[i];
    out += fmt::format(
        "{}\n  {{\"severity\": {}, \"slug\": {}, \"file\": {}, \"line\": {}, \"column\": {}, \"path\": {}, "
        "\"message\": {}, \"notes\": {}, \"hints\": {}}}",
        i == 0 ? "" : ",", json_quote(word_of(d.severity)), json_quote(d.slug), json_quote(d.where.file), d.where.line,
        d.where.column, json_quote(d.path), json_quote(d.message), json_array(d.notes), json_array(d.hints));
  }
  return out + (diagnostics_.empty() ? "]\n" : "\n]\n");
}

}  // namespace warpwright::support
