// SPDX-License-Identifier: Apache-2.0
// The parser of compiler output. Formats: ptxas 13.0 -v, as printed and as NVRTC quotes it in its log.
#include "generator/compile/ptxas_log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace warpwright::compile {
namespace {

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The number that stands directly before `words`: 360 in "360 bytes stack frame, …".
std::optional<int64_t> number_before(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  size_t first = at;
  while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') --first;
  int64_t value = 0;
  const auto parsed = std::from_chars(text.data() + first, text.data() + at, value);
  if (parsed.ec != std::errc() || parsed.ptr == text.data() + first) return std::nullopt;
  return value;
}

/// The first word in single quotes.
std::string_view quoted(std::string_view text) {
  const size_t open = text.find('\'');
  const size_t close = open == std::string_view::npos ? open : text.find('\'', open + 1);
  return close == std::string_view::npos ? std::string_view() : text.substr(open + 1, close - open - 1);
}

/// Splits "ptxas info    : text" and "ptxas FILE, line N; error   : text" after the colon.
struct PtxasLine {
  Remark::Kind kind = Remark::Kind::kInfo;
  std::string_view text;
};

std::optional<PtxasLine> ptxas_line(std::string_view line) {
  if (!starts_with(line, "ptxas ")) return std::nullopt;
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return PtxasLine{Remark::Kind::kWarning, trimmed(line.substr(6))};
  const std::string_view head = trimmed(line.substr(0, colon));
  const auto ends_with = [&](std::string_view end) {
    return head.size() >= end.size() && head.substr(head.size() - end.size()) == end;
  };
  PtxasLine result{Remark::Kind::kWarning, trimmed(line.substr(colon + 2))};
  if (ends_with("info")) result.kind = Remark::Kind::kInfo;
  if (ends_with("error") || ends_with("fatal")) result.kind = Remark::Kind::kError;
  return result;
}

Remark make_remark(Remark::Kind kind, std::string_view text) {
  Remark remark;
  remark.kind = kind;
  if (starts_with(text, "(C")) {
    const size_t close = text.find(')');
    const auto parsed = std::from_chars(text.data() + 2, text.data() + std::min(close, text.size()), remark.code);
    if (close != std::string_view::npos && parsed.ptr == text.data() + close) text = trimmed(text.substr(close + 1));
  }
  remark.text = std::string(text);
  return remark;
}

/// Lines that only repeat a figure or give a time.
bool is_expected(std::string_view text) {
  return contains(text, "bytes gmem") || starts_with(text, "Function properties for ") ||
         starts_with(text, "Compile time = ") || starts_with(text, "Registers are spilled to local memory") ||
         starts_with(text, "Local memory used for function");
}

class LogParser {
 public:
  explicit LogParser(const std::string &kernel_name) : kernel_name_(kernel_name) {}

  void line(std::string_view raw) {
    // NVRTC quotes continuation lines as "ptxas         .     0 bytes stack frame, …".
    if (contains(raw, " bytes stack frame,")) return frame(raw);
    const std::optional<PtxasLine> ptxas = ptxas_line(raw);
    if (!ptxas) return frontend(raw);
    if (starts_with(ptxas->text, "Compiling entry function ")) {
      is_ours_ = kernel_name_.empty() || quoted(ptxas->text) == kernel_name_;
      return;
    }
    if (starts_with(ptxas->text, "Used ") && number_before(ptxas->text, " registers")) return used(ptxas->text);
    if (!is_expected(ptxas->text)) log_.remarks.push_back(make_remark(ptxas->kind, ptxas->text));
  }

  PtxasLog result() { return std::move(log_); }

 private:
  void frame(std::string_view text) {
    if (!is_ours_) return;
    log_.stack_bytes = std::max(log_.stack_bytes, number_before(text, " bytes stack frame").value_or(0));
    log_.spill_store_bytes += number_before(text, " bytes spill stores").value_or(0);
    log_.spill_load_bytes += number_before(text, " bytes spill loads").value_or(0);
  }

  void used(std::string_view text) {
    if (!is_ours_) return;
    log_.has_kernel = true;
    log_.registers = std::max(log_.registers, number_before(text, " registers").value_or(0));
    log_.static_smem_bytes = std::max(log_.static_smem_bytes, number_before(text, " bytes smem").value_or(0));
    log_.stack_bytes = std::max(log_.stack_bytes, number_before(text, " bytes cumulative stack size").value_or(0));
    const size_t barriers_at = text.find("used ");
    if (barriers_at != std::string_view::npos) {
      log_.barriers = std::max(log_.barriers, number_before(text.substr(barriers_at), " barriers").value_or(0));
    }
  }

  /// Warnings of the front end; the source lines and carets under them, and its summary, are not findings.
  void frontend(std::string_view text) {
    const bool is_error =
        contains(text, "): error") || starts_with(text, "nvcc fatal") || contains(text, ": fatal error");
    const bool is_warning = contains(text, "): warning") || starts_with(text, "nvcc warning");
    if (is_error) log_.remarks.push_back(make_remark(Remark::Kind::kError, trimmed(text)));
    if (is_warning) log_.remarks.push_back(make_remark(Remark::Kind::kFrontend, trimmed(text)));
  }

  const std::string &kernel_name_;
  bool is_ours_ = true;
  PtxasLog log_;
};

}  // namespace

PtxasLog parse_ptxas_log(const std::string &log, const std::string &kernel_name) {
  LogParser parser(kernel_name);
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = std::string_view(log).substr(at, end - at);
    if (!trimmed(line).empty()) parser.line(line);
    at = end + 1;
  }
  return parser.result();
}

}  // namespace warpwright::compile
