// SPDX-License-Identifier: Apache-2.0
// What the emulator's engines answer when an operation is not allowed.
#pragma once

#include <string>

namespace warpwright::emulator {

/// A refusal: a stable slug and a sentence with the numbers. True when there is one.
struct [[nodiscard]] Error {
  std::string slug;
  std::string text;
  explicit operator bool() const { return !slug.empty(); }
};

}  // namespace warpwright::emulator
