// SPDX-License-Identifier: Apache-2.0
// The families' planners.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/families/w4a8_gemm/plan.h"
#include "tools/cli/families.h"

namespace warpwright::cli {

const plan::FamilyPlan &family_plan(const std::string &name) {
  for (const plan::FamilyPlan *family : {&w4a4_lora_gemm_plan(), &w4a8_gemm_plan()})
    if (family->name == name) return *family;
  throw support::InternalError("no planner for the family " + name);
}

}  // namespace warpwright::cli
