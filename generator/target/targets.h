// SPDX-License-Identifier: Apache-2.0
// The targets by name, for the list in target.cpp.
#pragma once

#include "generator/target/target.h"

namespace warpwright::target {

const SmTarget &sm100a();
const SmTarget &sm100f();
const SmTarget &sm103a();
const SmTarget &sm90a();

}  // namespace warpwright::target
