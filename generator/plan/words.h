// SPDX-License-Identifier: Apache-2.0
// The words by which enumerators of the plan appear in JSON and reports.
#pragma once

#include "generator/plan/records.h"

#include <optional>
#include <string>
#include <string_view>

namespace warpwright::plan {

std::string_view word_of(Split split);
std::string_view word_of(CtaScope scope);
std::string_view word_of(Issue issue);
std::string_view word_of(HandOver how);
std::string_view word_of(KernelParam::Kind kind);

/// The emitted constant of a record: "a_tile" → "kATile".
std::string constant_name(const std::string &record_name);
/// The emitted constant that holds the depth of a channel's ring: "ab" → "kAbDepth".
std::string depth_constant(const std::string &channel_name);

/// The enumerator with this word, or nothing.
std::optional<Split> split_from(std::string_view word);
std::optional<CtaScope> cta_scope_from(std::string_view word);
std::optional<Issue> issue_from(std::string_view word);
std::optional<HandOver> hand_over_from(std::string_view word);
std::optional<KernelParam::Kind> param_kind_from(std::string_view word);
std::optional<spec::NumberFormat> number_format_from(std::string_view word);

}  // namespace warpwright::plan
