// SPDX-License-Identifier: Apache-2.0
// What the rules between a family's fields are written with: values that may be missing, and refusals.
#pragma once

#include "generator/spec/kernel_spec.h"

namespace warpwright::spec {

/// A written value of the expected kind, or nothing: auto, dynamic, and fields that failed their own check.
std::optional<int64_t> integer_of(const KernelSpec &spec, const std::string &path);
/// The same for a word, or an empty text.
std::string word_of(const KernelSpec &spec, const std::string &path);

struct Refusal {
  std::string slug;
  std::string path;     ///< the field to blame and to point at
  std::string message;  ///< what, limit, what would work
  std::string source;
  std::vector<std::string> hints;
};

void refuse(const KernelSpec &spec, Refusal refusal, support::Diagnostics &diagnostics);

}  // namespace warpwright::spec
