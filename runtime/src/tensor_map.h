// SPDX-License-Identifier: Apache-2.0
// Encodes a tensor map from its recipe and the caller's pointer.
#pragma once

#include "runtime/src/driver.h"
#include "runtime/src/program.h"

namespace warpwright::runtime {

/// Errors    MISALIGNED_POINTER; SHAPE_REFUSED where a dim or stride is out of the hardware's range; CUDA_ERROR.
Status encode_tensor_map(const Driver &driver, const PreparedMap &map, const Values &values, void *pointer,
                         CUtensorMap *encoded);

}  // namespace warpwright::runtime
