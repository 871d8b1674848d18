// SPDX-License-Identifier: Apache-2.0
// SHA-256 from LLVMSupport; the only translation unit of this library that sees LLVM.
#include "generator/support/digest.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

#include <array>

namespace warpwright::support {

std::string sha256_hex(std::string_view bytes) {
  const std::array<uint8_t, 32> digest = llvm::SHA256::hash(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace warpwright::support
