// SPDX-License-Identifier: Apache-2.0
// A plan from its JSON, as plan_json wrote it and perhaps a person edited it.
#pragma once

#include "generator/plan/records.h"
#include "generator/spec/family_spec.h"
#include "generator/spec/json_tree.h"

namespace warpwright::plan {

/// A plan with the places of its records: "region a_tile", "range acc0", "barrier ab_full", "role mma", "smem", "tmem".
struct PlacedPlan {
  OperatorPlan plan;
  std::map<std::string, support::SourceLocation> places;
  spec::JsonDocument document;  ///< what it was read from
};

/// The plan's object: the root itself, or the one inside what `plan --json` prints; nullptr where neither is a plan.
const spec::JsonNode *plan_root(const spec::JsonNode &root);

/// True for a text that is JSON with a `plan_edition` at its root, or inside `plan` as `plan --json` prints it.
bool looks_like_plan(const std::string &text);

/// Reads what plan_json or `plan --json` wrote.
///
/// Ensures   read_plan(plan_json(p)) equals p in every record; nothing is checked beyond names, types and
///           ranges.
/// Errors    plan.not-json and plan.duplicate-key from the parser; plan.bad-record: a key is missing, has the wrong
///           type, an unknown word or a number out of range; the spec's own errors, at their places in `file`.
std::optional<PlacedPlan> read_plan(const std::string &file, const std::string &text,
                                    const std::vector<const spec::FamilySpec *> &families,
                                    support::Diagnostics &diagnostics);

}  // namespace warpwright::plan
