// SPDX-License-Identifier: Apache-2.0
// Identity of texts and files: SHA-256.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace warpwright::support {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// SHA-256 of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(std::string_view bytes);
  /// Of everything added so far, as sha256_hex() gives it.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpwright::support
