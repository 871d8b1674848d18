// SPDX-License-Identifier: Apache-2.0
// Which compiled form of a kernel a device can run.
#pragma once

#include "runtime/format/archive_generated.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace warpwright::runtime {

/// A parsed "sm_100a".
struct Arch {
  enum class Kind { kPortable, kFamily, kSpecific };
  int major = 0;
  int minor = 0;
  Kind kind = Kind::kPortable;
};

std::optional<Arch> parse_arch(std::string_view text);

/// Source: CUDA Compiler Driver NVCC 13.0, "GPU Feature List": sm_XYa runs on X.Y only, sm_XYf on the X.* devices of
/// its family from X.Y on, sm_XY on X.* from X.Y on.
bool runs_on(const Arch &arch, int major, int minor);

/// The image that suits the device best: specific before family before portable, then the higher minor.
std::optional<size_t> choose_image(const format::Kernel &kernel, int major, int minor);

}  // namespace warpwright::runtime
