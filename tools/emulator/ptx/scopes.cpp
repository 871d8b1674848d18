// SPDX-License-Identifier: Apache-2.0
// Finds names from the innermost scope outwards.
#include "tools/emulator/ptx/scopes.h"

#include <charconv>
#include <string>

namespace warpwright::emulator::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "12" is 12; "", "012" and what does not fit are nothing: %r<5> declares no %r04.
std::optional<uint32_t> plain_number(std::string_view digits) {
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Symbol> Scopes::Scope::find(std::string_view name) const {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  if (ranges.empty()) return std::nullopt;
  size_t split = name.size();
  while (split > 0 && is_digit(name[split - 1])) --split;
  const auto range = ranges.find(name.substr(0, split));
  if (range == ranges.end()) return std::nullopt;
  const auto number = plain_number(name.substr(split));
  if (!number || *number >= range->second.count) return std::nullopt;
  return Symbol{Symbol::Kind::kRegister, range->second.first + *number};
}

std::vector<ResolvedUse> Scopes::close() {
  Scope ended = std::move(scopes_.back());
  scopes_.pop_back();
  std::vector<ResolvedUse> resolved;
  for (const LabelUse &use : ended.uses) {
    const auto found = ended.names.find(use.name);
    if (found != ended.names.end()) resolved.push_back({use, found->second});
    else if (!scopes_.empty()) scopes_.back().uses.push_back(use);
  }
  return resolved;
}

bool Scopes::declare(std::string_view name, Symbol symbol) {
  Scope &scope = scopes_.back();
  if (scope.find(name)) return false;
  scope.names.emplace(name, symbol);
  return true;
}

bool Scopes::declare_range(std::string_view prefix, uint32_t first, uint32_t count) {
  Scope &scope = scopes_.back();
  // Whichever is shorter, so that the whole text costs no more than its registers: names of the range, or names there are.
  if (count <= scope.names.size()) {
    for (uint32_t i = 0; i < count; ++i)
      if (scope.names.count(std::string(prefix) + std::to_string(i)) != 0) return false;
  } else {
    for (const auto &[name, symbol] : scope.names) {
      if (name.size() <= prefix.size() || name.substr(0, prefix.size()) != prefix) continue;
      const auto number = plain_number(name.substr(prefix.size()));
      if (number && *number < count) return false;
    }
  }
  return scope.ranges.emplace(prefix, Range{first, count}).second;
}

std::optional<Symbol> Scopes::find(std::string_view name) const {
  for (size_t i = scopes_.size(); i > 0; --i)
    if (const auto found = scopes_[i - 1].find(name)) return found;
  return std::nullopt;
}

}  // namespace warpwright::emulator::ptx
