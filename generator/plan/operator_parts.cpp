// SPDX-License-Identifier: Apache-2.0
// Names, places and sizes that follow from a plan's records alone.
#include "generator/plan/operator_parts.h"

#include <algorithm>

namespace warpwright::plan {

std::string operator_name(const std::string &spec_file) {
  if (spec_file == "-" || spec_file.empty()) return "stdin";
  const size_t slash = spec_file.find_last_of('/');
  std::string stem = slash == std::string::npos ? spec_file : spec_file.substr(slash + 1);
  const size_t dot = stem.rfind('.');
  return dot == std::string::npos || dot == 0 ? stem : stem.substr(0, dot);
}

void place_barriers(std::vector<Barrier> &barriers, const SmemRegion &region) {
  int64_t offset_bytes = region.offset_bytes;
  for (Barrier &barrier : barriers) {
    barrier.offset_bytes = offset_bytes;
    offset_bytes += barrier.count * region.stride_bytes;
  }
}

int64_t launch_threads(const std::vector<Role> &roles) {
  int warps = 0;
  for (const Role &role : roles) warps = std::max(warps, role.first_warp + role.num_warps);
  return int64_t{warps} * 32;
}

std::vector<spec::FieldValue> integer_values(const std::vector<int64_t> &values) {
  std::vector<spec::FieldValue> made;
  for (const int64_t value : values) made.push_back(spec::integer_value(value));
  return made;
}

std::vector<Domain> default_domains(const spec::KernelSpec &spec, const spec::FamilySpec &family) {
  std::vector<Domain> domains;
  for (const auto &[path, value] : spec.values) {
    if (!value.is_auto()) continue;
    const spec::FieldValue &preset = family.find(path)->default_value;
    if (!preset.is_auto()) domains.push_back({path, {preset}});
  }
  return domains;
}

}  // namespace warpwright::plan
