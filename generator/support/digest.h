// SPDX-License-Identifier: Apache-2.0
// Identity of texts and files: SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::support {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace warpwright::support
