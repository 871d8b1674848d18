// SPDX-License-Identifier: Apache-2.0
// How fast a GPU reads its memory: a kernel that does nothing else.
#pragma once

#include "tools/cli/gpu_device.h"

#include <optional>

namespace warpwright::cli {

/// PTX of the kernel: void ww_read_memory(const void *data, unsigned long long bytes, unsigned *out), 16 bytes a load.
extern const char *const kReadKernelPtx;

/// Bytes a second that the kernel reads, of memory several times larger than the L2; the best of several passes. Nothing, and the
/// device's problem(), where a call fails.
std::optional<double> measure_read_ceiling(GpuDevice &device, int timeout_seconds);

}  // namespace warpwright::cli
