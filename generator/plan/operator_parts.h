// SPDX-License-Identifier: Apache-2.0
// Parts of an operator's plan that every family makes in the same way.
#pragma once

#include "generator/plan/family_plan.h"

namespace warpwright::plan {

/// The name of an operator: the stem of its spec's file, "stdin" for standard input.
std::string operator_name(const std::string &spec_file);

/// Gives each barrier its place in the region for them, in order.
void place_barriers(std::vector<Barrier> &barriers, const SmemRegion &region);

/// Threads of a CTA that these roles' warps are among.
int64_t launch_threads(const std::vector<Role> &roles);

using Domain = std::pair<std::string, std::vector<spec::FieldValue>>;

std::vector<spec::FieldValue> integer_values(const std::vector<int64_t> &values);

/// Domains of the fields that are auto although the table has a default: that is what auto means there.
std::vector<Domain> default_domains(const spec::KernelSpec &spec, const spec::FamilySpec &family);

}  // namespace warpwright::plan
