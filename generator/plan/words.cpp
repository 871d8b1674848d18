// SPDX-License-Identifier: Apache-2.0
// One table per enumeration, read in both directions.
#include "generator/plan/words.h"

#include <array>
#include <cctype>
#include <utility>

namespace warpwright::plan {
namespace {

template <typename Enum, size_t kCount>
using Words = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr Words<Split, 3> kSplits{{{Split::kOwnRows, "own_rows"}, {Split::kHalfN, "half_n"}, {Split::kAllN, "all_n"}}};
constexpr Words<CtaScope, 3> kScopes{
    {{CtaScope::kSelf, "self"}, {CtaScope::kLeader, "leader"}, {CtaScope::kBoth, "both"}}};
constexpr Words<Issue, 3> kIssues{
    {{Issue::kElected, "elected"}, {Issue::kWarps, "warps"}, {Issue::kThreads, "threads"}}};
constexpr Words<HandOver, 6> kHandOvers{{{HandOver::kTma, "tma"},
                                         {HandOver::kTensorCommit, "tensor_commit"},
                                         {HandOver::kArrive, "arrive"},
                                         {HandOver::kBulkGroup, "bulk_group"},
                                         {HandOver::kNamedBarrier, "named_barrier"},
                                         {HandOver::kTensorOrder, "tensor_order"}}};
constexpr Words<KernelParam::Kind, 3> kParamKinds{{{KernelParam::Kind::kTensorMap, "tensor_map"},
                                                   {KernelParam::Kind::kPointer, "pointer"},
                                                   {KernelParam::Kind::kInt32, "int32"}}};
constexpr std::array kFormats = {spec::NumberFormat::kE2m1, spec::NumberFormat::kUe4m3, spec::NumberFormat::kUe8m0,
                                 spec::NumberFormat::kE4m3, spec::NumberFormat::kS8,    spec::NumberFormat::kU8,
                                 spec::NumberFormat::kBf16, spec::NumberFormat::kFp16,  spec::NumberFormat::kFp32,
                                 spec::NumberFormat::kS32};

template <typename Enum, size_t kCount>
std::string_view find_word(const Words<Enum, kCount> &words, Enum value) {
  for (const auto &[entry, word] : words)
    if (entry == value) return word;
  throw support::InternalError("an enumerator of the plan has no word");
}

template <typename Enum, size_t kCount>
std::optional<Enum> find_enumerator(const Words<Enum, kCount> &words, std::string_view word) {
  for (const auto &[entry, text] : words)
    if (text == word) return entry;
  return std::nullopt;
}

}  // namespace

std::string_view word_of(Split split) { return find_word(kSplits, split); }
std::string_view word_of(CtaScope scope) { return find_word(kScopes, scope); }
std::string_view word_of(Issue issue) { return find_word(kIssues, issue); }
std::string_view word_of(HandOver how) { return find_word(kHandOvers, how); }
std::string_view word_of(KernelParam::Kind kind) { return find_word(kParamKinds, kind); }

std::optional<Split> split_from(std::string_view word) { return find_enumerator(kSplits, word); }
std::optional<CtaScope> cta_scope_from(std::string_view word) { return find_enumerator(kScopes, word); }
std::optional<Issue> issue_from(std::string_view word) { return find_enumerator(kIssues, word); }
std::optional<HandOver> hand_over_from(std::string_view word) { return find_enumerator(kHandOvers, word); }
std::optional<KernelParam::Kind> param_kind_from(std::string_view word) { return find_enumerator(kParamKinds, word); }
std::optional<spec::NumberFormat> number_format_from(std::string_view word) {
  for (const spec::NumberFormat format : kFormats)
    if (spec::name_of(format) == word) return format;
  return std::nullopt;
}

std::string constant_name(const std::string &record_name) {
  std::string name = "k";
  bool upper = true;
  for (char c : record_name) {
    if (c == '_') { upper = true; continue; }
    name += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = false;
  }
  return name;
}

std::string depth_constant(const std::string &channel_name) { return constant_name(channel_name) + "Depth"; }

}  // namespace warpwright::plan
