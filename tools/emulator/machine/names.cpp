// SPDX-License-Identifier: Apache-2.0
// Reads names and looks them up.
#include "tools/emulator/machine/names.h"

#include <sstream>

namespace warpwright::emulator {

const SharedName *Names::find_shared(int64_t offset, uint32_t *piece) const {
  for (const SharedName &name : shared) {
    const int64_t at = offset - int64_t{name.offset};
    if (at < 0) continue;
    const int64_t index = name.stride_bytes ? at / name.stride_bytes : 0;
    if (index >= int64_t{name.count} || at - index * int64_t{name.stride_bytes} >= int64_t{name.bytes}) continue;
    *piece = static_cast<uint32_t>(index);
    return &name;
  }
  return nullptr;
}

std::string Names::of_shared(int64_t offset) const {
  uint32_t piece = 0;
  const SharedName *found = find_shared(offset, &piece);
  if (!found) return "at offset " + std::to_string(offset) + " of dynamic shared memory";
  const int64_t inside = offset - int64_t{found->offset} - int64_t{piece} * found->stride_bytes;
  std::string text = found->name;
  if (found->count > 1) text += "[" + std::to_string(piece) + "]";
  if (inside) text += "+" + std::to_string(inside);
  return text;
}

const RoleName *Names::role_of(uint32_t warp) const {
  for (const RoleName &role : roles)
    if (warp >= role.first_warp && warp - role.first_warp < role.num_warps) return &role;
  return nullptr;
}

std::string Names::of_barrier(uint32_t id) const {
  std::string text = "barrier " + std::to_string(id);
  for (const BarrierName &barrier : barriers)
    if (barrier.id == id) text += " (" + barrier.name + ")";
  return text;
}

std::optional<Names> parse_names(const std::string &text) {
  Names names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    if (!(words >> kind)) continue;
    if (kind == "shared") {
      SharedName name;
      if (!(words >> name.name >> name.offset >> name.bytes >> name.stride_bytes >> name.count)) return std::nullopt;
      names.shared.push_back(std::move(name));
    } else if (kind == "mbarrier") {
      SharedName name;
      name.bytes = name.stride_bytes = 8;
      if (!(words >> name.name >> name.offset >> name.count)) return std::nullopt;
      std::getline(words >> std::ws, name.arrivals);
      names.shared.push_back(std::move(name));
    } else if (kind == "role") {
      RoleName role;
      if (!(words >> role.name >> role.first_warp >> role.num_warps)) return std::nullopt;
      names.roles.push_back(std::move(role));
    } else if (kind == "barrier") {
      BarrierName barrier;
      if (!(words >> barrier.name >> barrier.id)) return std::nullopt;
      names.barriers.push_back(std::move(barrier));
    } else {
      return std::nullopt;
    }
  }
  return names;
}

}  // namespace warpwright::emulator
