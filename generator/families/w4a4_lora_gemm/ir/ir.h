// SPDX-License-Identifier: Apache-2.0
// The family's half of the IR stage.
#pragma once

namespace warpwright::lower {
struct FamilyIr;
}

namespace warpwright {
const lower::FamilyIr &w4a4_lora_gemm_ir();
}
