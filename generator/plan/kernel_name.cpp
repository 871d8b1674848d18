// SPDX-License-Identifier: Apache-2.0
// Kernel names: one formatter, and a parser that accepts exactly what it makes.
#include "generator/plan/kernel_name.h"

#include "generator/support/diagnostics.h"

#include <cctype>

namespace warpwright::plan {
namespace {

constexpr const char *kNoTraits = "plain";

bool is_word(const std::string &text) {
  if (text.empty() || std::islower(static_cast<unsigned char>(text.front())) == 0) return false;
  for (const char c : text)
    if (std::islower(static_cast<unsigned char>(c)) == 0 && std::isdigit(static_cast<unsigned char>(c)) == 0)
      return false;
  return true;
}

std::vector<std::string> split_text(const std::string &text, const std::string &separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string join_words(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : "_") + word;
  return text;
}

bool are_words(const std::vector<std::string> &words) {
  for (const std::string &word : words)
    if (!is_word(word)) return false;
  return !words.empty();
}

/// Reads `<letter><digits>` at `position`; the number has no leading zero and at most nine digits.
bool read_number(const std::string &text, size_t &position, char letter, int64_t &value) {
  if (position >= text.size() || text[position] != letter) return false;
  size_t end = position + 1;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  const std::string digits = text.substr(position + 1, end - position - 1);
  if (digits.empty() || digits.size() > 9 || (digits.size() > 1 && digits.front() == '0')) return false;
  value = std::stoll(digits);
  position = end;
  return true;
}

bool skip(const std::string &text, size_t &position, char letter) {
  if (position >= text.size() || text[position] != letter) return false;
  ++position;
  return true;
}

bool parse_tile(const std::string &text, KernelNameKey &key) {
  size_t position = 0;
  return read_number(text, position, 'm', key.tile_m) && read_number(text, position, 'n', key.tile_n) &&
         read_number(text, position, 'k', key.tile_k) && skip(text, position, '_') &&
         read_number(text, position, 'c', key.cta_group) && skip(text, position, '_') &&
         read_number(text, position, 's', key.stages) && position == text.size();
}

}  // namespace

std::string format_kernel_name(const KernelNameKey &key) {
  WARPWRIGHT_ASSERT(are_words(split_text(key.family, "_")), "family name \"" + key.family + "\"");
  WARPWRIGHT_ASSERT(are_words(key.formats), "formats of " + key.family);
  WARPWRIGHT_ASSERT(key.traits.empty() || (are_words(key.traits) && key.traits.front() != kNoTraits),
                    "traits of " + key.family);
  WARPWRIGHT_ASSERT(key.arch.rfind("sm_", 0) == 0, "architecture \"" + key.arch + "\"");
  return key.family + "__" + join_words(key.formats) + "__" +
         (key.traits.empty() ? std::string(kNoTraits) : join_words(key.traits)) + "__m" + std::to_string(key.tile_m) +
         "n" + std::to_string(key.tile_n) + "k" + std::to_string(key.tile_k) + "_c" + std::to_string(key.cta_group) +
         "_s" + std::to_string(key.stages) + "__sm" + key.arch.substr(3);
}

std::optional<KernelNameKey> parse_kernel_name(const std::string &name) {
  const std::vector<std::string> groups = split_text(name, "__");
  if (groups.size() != 5) return std::nullopt;
  KernelNameKey key;
  key.family = groups[0];
  key.formats = split_text(groups[1], "_");
  if (groups[2] != kNoTraits) key.traits = split_text(groups[2], "_");
  if (!are_words(split_text(key.family, "_")) || !are_words(key.formats)) return std::nullopt;
  if (!key.traits.empty() && !are_words(key.traits)) return std::nullopt;
  if (!parse_tile(groups[3], key)) return std::nullopt;
  if (!is_word(groups[4]) || groups[4].rfind("sm", 0) != 0 || groups[4].size() < 4) return std::nullopt;
  key.arch = "sm_" + groups[4].substr(2);
  return key;
}

}  // namespace warpwright::plan
