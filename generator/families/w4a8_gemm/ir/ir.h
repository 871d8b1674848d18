// SPDX-License-Identifier: Apache-2.0
// The IR builder of w4a8_gemm.
#pragma once

#include "generator/lower/family_ir.h"

namespace warpwright {

const lower::FamilyIr &w4a8_gemm_ir();

}  // namespace warpwright
