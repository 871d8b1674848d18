// SPDX-License-Identifier: Apache-2.0
// The bytes of a host's array, as a device reads them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace warpwright::support {

template <class T>
std::vector<uint8_t> object_bytes(const std::vector<T> &values) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace warpwright::support
