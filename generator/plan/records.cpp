// SPDX-License-Identifier: Apache-2.0
// Records of a kernel plan by name.
#include "generator/plan/records.h"

namespace warpwright::plan {
namespace {

/// The record called `name`. Asking for one that is not there is a bug of ours.
template <typename Record>
const Record &find_record(const std::vector<Record> &records, const std::string &name, const KernelPlan &plan,
                          const char *kind) {
  for (const Record &record : records)
    if (record.name == name) return record;
  throw support::InternalError("plan of " + plan.name + " has no " + kind + " \"" + name + "\"");
}

}  // namespace

const SmemRegion &KernelPlan::region(const std::string &region_name) const {
  return find_record(smem.regions, region_name, *this, "shared-memory region");
}
const TmemRange &KernelPlan::tmem_range(const std::string &range_name) const {
  return find_record(tmem.ranges, range_name, *this, "tensor-memory range");
}
const Channel &KernelPlan::channel(const std::string &channel_name) const {
  return find_record(channels, channel_name, *this, "channel");
}
const Barrier &KernelPlan::barrier(const std::string &barrier_name) const {
  return find_record(barriers, barrier_name, *this, "barrier");
}
const Role &KernelPlan::role(const std::string &role_name) const {
  return find_record(roles, role_name, *this, "role");
}
const TensorMap *KernelPlan::find_tensor_map(const std::string &map_name) const {
  for (const TensorMap &map : tensor_maps)
    if (map.name == map_name) return &map;
  return nullptr;
}
const TensorMap &KernelPlan::tensor_map(const std::string &map_name) const {
  return find_record(tensor_maps, map_name, *this, "tensor map");
}
int64_t KernelPlan::constant(const std::string &constant_name) const {
  return find_record(constants, constant_name, *this, "constant").value;
}
const std::string &KernelPlan::trait(const std::string &trait_name) const {
  const auto found = traits.find(trait_name);
  if (found == traits.end()) throw support::InternalError("plan of " + name + " has no trait \"" + trait_name + "\"");
  return found->second;
}

}  // namespace warpwright::plan
