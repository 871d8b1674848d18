// SPDX-License-Identifier: Apache-2.0
// A bounds check of a compiled kernel before the driver reads it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::runtime {

/// True if `bytes` is a 64-bit CUDA ELF whose headers and sections lie inside it. cuLibraryLoadData is given no
/// length and believes the headers.
bool is_complete_cubin(const uint8_t *bytes, size_t num_bytes);

}  // namespace warpwright::runtime
