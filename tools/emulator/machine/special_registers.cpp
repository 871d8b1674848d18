// SPDX-License-Identifier: Apache-2.0
// Values of special registers.
#include "tools/emulator/machine/special_registers.h"

#include "tools/emulator/machine/forms.h"

#include <algorithm>
#include <iterator>

namespace warpwright::emulator {

namespace {

struct Place {
  const LaunchState &state;
  const Cta &cta;
  uint32_t thread = 0;  ///< in the CTA
};

ptx::Dim3 thread_index(const Place &place) {
  const ptx::Dim3 block = place.state.launch.block;
  return {place.thread % block.x, place.thread / block.x % block.y, place.thread / (block.x * block.y)};
}

ptx::Dim3 divide(ptx::Dim3 a, ptx::Dim3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
ptx::Dim3 remainder(ptx::Dim3 a, ptx::Dim3 b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

struct Special {
  std::string_view name;
  uint64_t (*value)(const Place &);
  bool is_wide = false;
};

#define WW_DIM3(name, expression)                                                              \
  {name ".x", [](const Place &p) -> uint64_t { return (expression).x; }},                      \
  {name ".y", [](const Place &p) -> uint64_t { return (expression).y; }},                      \
  {name ".z", [](const Place &p) -> uint64_t { return (expression).z; }}

/// Source: PTX ISA 9.0, "Special Registers".
const Special kSpecials[] = {
    WW_DIM3("%tid", thread_index(p)),
    WW_DIM3("%ntid", p.state.launch.block),
    WW_DIM3("%ctaid", p.cta.index),
    WW_DIM3("%nctaid", p.state.launch.grid),
    WW_DIM3("%clusterid", divide(p.cta.index, p.state.cluster_shape)),
    WW_DIM3("%nclusterid", divide(p.state.launch.grid, p.state.cluster_shape)),
    WW_DIM3("%cluster_ctaid", remainder(p.cta.index, p.state.cluster_shape)),
    WW_DIM3("%cluster_nctaid", p.state.cluster_shape),
    {"%cluster_ctarank", [](const Place &p) -> uint64_t { return p.cta.rank; }},
    {"%cluster_nctarank", [](const Place &p) -> uint64_t { return p.state.cluster_shape.count(); }},
    {"%is_explicit_cluster", [](const Place &p) -> uint64_t { return p.state.launch.kernel->has_explicit_cluster; }},
    {"%laneid", [](const Place &p) -> uint64_t { return p.thread % 32; }},
    {"%warpid", [](const Place &p) -> uint64_t { return p.thread / 32; }},
    {"%nwarpid", [](const Place &p) -> uint64_t { return (p.state.launch.block.count() + 31) / 32; }},
    {"%lanemask_eq", [](const Place &p) -> uint64_t { return 1u << p.thread % 32; }},
    {"%lanemask_lt", [](const Place &p) -> uint64_t { return (1u << p.thread % 32) - 1; }},
    {"%lanemask_le", [](const Place &p) -> uint64_t { return (2u << p.thread % 32) - 1; }},
    {"%lanemask_gt", [](const Place &p) -> uint64_t { return ~((2u << p.thread % 32) - 1); }},
    {"%lanemask_ge", [](const Place &p) -> uint64_t { return ~((1u << p.thread % 32) - 1); }},
    {"%dynamic_smem_size", [](const Place &p) -> uint64_t { return p.state.launch.dynamic_shared_bytes; }},
};
#undef WW_DIM3

void fill(Warp &warp, uint32_t place, bool is_wide, uint32_t lane, uint64_t value) {
  if (is_wide)
    std::copy_n(reinterpret_cast<const uint32_t *>(&value), 2, warp.registers.data() + place + 2 * lane);
  else
    warp.registers[place + lane] = static_cast<uint32_t>(value);
}

const Special *find(std::string_view name) {
  const auto found = std::find_if(std::begin(kSpecials), std::end(kSpecials), [&](const Special &s) { return s.name == name; });
  return found == std::end(kSpecials) ? nullptr : found;
}

}  // namespace

bool has_special_register(std::string_view name, bool *is_wide) {
  const Special *found = find(name);
  if (found && is_wide) *is_wide = found->is_wide;
  return found != nullptr;
}

void set_initial_registers(const LaunchState &state, const Cta &cta, Warp &warp) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (const Constant &constant : state.program.constants) fill(warp, constant.place, constant.is_wide, lane, constant.value);
    for (const SpecialRegister &special : state.program.specials)
      fill(warp, special.place, special.is_wide, lane, find(special.name)->value({state, cta, warp.index * 32 + lane}));
    for (const ThreadAddress &address : state.program.thread_addresses)
      fill(warp, address.place, true, lane, kLocalWindow | (uint64_t{lane} * state.program.thread_stride() + address.offset));
    for (const SharedAddress &address : state.program.shared_addresses)
      fill(warp, address.place, address.is_wide, lane, cta.shared_base() + address.offset);
  }
}

}  // namespace warpwright::emulator
