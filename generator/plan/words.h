// SPDX-License-Identifier: Apache-2.0
// The words by which enumerators of the plan appear in JSON and reports.
#pragma once

#include "generator/plan/records.h"

#include <optional>
#include <string_view>

namespace warpwright::plan {

std::string_view word_of(Split split);
std::string_view word_of(CtaScope scope);
std::string_view word_of(Issue issue);
std::string_view word_of(HandOver how);
std::string_view word_of(KernelParam::Kind kind);

/// The enumerator with this word, or nothing.
std::optional<Split> split_from(std::string_view word);
std::optional<CtaScope> cta_scope_from(std::string_view word);
std::optional<Issue> issue_from(std::string_view word);
std::optional<HandOver> hand_over_from(std::string_view word);
std::optional<KernelParam::Kind> param_kind_from(std::string_view word);
std::optional<spec::NumberFormat> number_format_from(std::string_view word);

}  // namespace warpwright::plan
