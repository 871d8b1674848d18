// SPDX-License-Identifier: Apache-2.0
// SHA-256 from LLVMSupport; the only translation unit of this library that sees LLVM.
#include "generator/support/digest.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

#include <array>

namespace warpwright::support {
namespace {

llvm::ArrayRef<uint8_t> array_of(std::string_view bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

std::string hex_of(const std::array<uint8_t, 32> &digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) { return hex_of(llvm::SHA256::hash(array_of(bytes))); }

struct Sha256::State {
  llvm::SHA256 hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { state_->hash.update(array_of(bytes)); }

std::string Sha256::hex() const { return hex_of(state_->hash.result()); }

}  // namespace warpwright::support
