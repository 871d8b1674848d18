// SPDX-License-Identifier: Apache-2.0
// The list of compile targets.
#include "generator/target/targets.h"

namespace warpwright::target {

std::vector<const SmTarget *> all_targets() { return {&sm100a(), &sm100f(), &sm103a(), &sm90a()}; }

const SmTarget *find_target(const std::string &arch) {
  for (const SmTarget *target : all_targets())
    if (target->arch == arch) return target;
  return nullptr;
}

}  // namespace warpwright::target
