// SPDX-License-Identifier: Apache-2.0
// The words of a form's signature, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpwright::emulator {

/// One word of a signature.
struct Slot {
  char width = 'w';  ///< p h w l q, or a b i @
  bool is_optional = false;
  bool is_pair = false;
  uint32_t count = 0;  ///< of a vector; 0: a scalar
};

inline std::vector<Slot> parse_signature(std::string_view text) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    Slot slot;
    if (text[i] == '?') slot.is_optional = true, ++i;
    if (text[i] == '>') ++i;
    slot.width = text[i++];
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      slot.count = slot.count * 10 + static_cast<uint32_t>(text[i] - '0');
    if (i < text.size() && text[i] == '|') slot.is_pair = true, i += 2;
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace warpwright::emulator
