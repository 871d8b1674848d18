// SPDX-License-Identifier: Apache-2.0
// The families' IR builders by name. Apart from families.cpp, so that verbs without IR link no MLIR.
#include "generator/families/w4a4_lora_gemm/ir/ir.h"
#include "generator/families/w4a8_gemm/ir/ir.h"
#include "tools/cli/families.h"

#include "generator/support/diagnostics.h"

namespace warpwright::cli {

const lower::FamilyIr &family_ir(const std::string &name) {
  if (name == "w4a4_lora_gemm") return w4a4_lora_gemm_ir();
  if (name == "w4a8_gemm") return w4a8_gemm_ir();
  throw support::InternalError("no IR builder of family " + name);
}

}  // namespace warpwright::cli
