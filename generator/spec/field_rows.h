// SPDX-License-Identifier: Apache-2.0
// Short forms of the rows that families' field tables consist of.
#pragma once

#include "generator/spec/family_spec.h"

namespace warpwright::spec {

/// A field that the planner chooses unless it is written.
Field planned(std::string path, FieldType type, std::string unit, std::string text);

/// One of several words; the first is the default.
Field choice(std::string path, std::vector<std::string> choices, std::string text);

Field boolean(std::string path, bool preset, std::string text);

/// One of several integers in rising order; the planner chooses unless it is written.
Field one_of(std::string path, std::vector<int64_t> integers, std::string unit, std::string text);

/// Multiples of a step from min to max; the planner chooses unless it is written.
Field range(std::string path, int64_t min, int64_t max, int64_t multiple_of, std::string unit, std::string text);

Field with_source(Field field, std::string source);

}  // namespace warpwright::spec
