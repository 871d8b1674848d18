// SPDX-License-Identifier: Apache-2.0
// The explicit list of families, by stage. Each look-up has its own source file, so that a verb links only the stages
// that it uses: families.cpp (spec), families_plan.cpp, families_ir.cpp.
#pragma once

#include "generator/support/diagnostics.h"

#include <string>
#include <vector>

namespace warpwright::spec {
struct FamilySpec;
}
namespace warpwright::plan {
struct FamilyPlan;
}
namespace warpwright::lower {
struct FamilyIr;
}

namespace warpwright::cli {

/// All families, in the order in which they are shown.
const std::vector<const spec::FamilySpec *> &family_specs();
/// Null if there is none of this name.
const spec::FamilySpec *find_family_spec(const std::string &name);
/// The same for a name from the command line: cli.usage with "did you mean" if there is none.
const spec::FamilySpec *find_family_spec(const std::string &name, support::Diagnostics &diagnostics);

/// Requires the name of a family (our bug otherwise): a loaded spec has one.
const spec::FamilySpec &family_spec(const std::string &name);
const plan::FamilyPlan &family_plan(const std::string &name);
const lower::FamilyIr &family_ir(const std::string &name);

}  // namespace warpwright::cli
