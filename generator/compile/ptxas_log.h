// SPDX-License-Identifier: Apache-2.0
// What nvcc, ptxas and NVRTC print, parsed: figures of one kernel, and remarks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::compile {

/// A line that is not one of the expected figures.
struct Remark {
  enum class Kind { kInfo, kWarning, kError, kFrontend };
  Kind kind = Kind::kInfo;
  int code = 0;      ///< 7508 of "(C7508)", or 0
  std::string text;  ///< without prefix and code
};

struct PtxasLog {
  bool has_kernel = false;  ///< figures of the kernel were found
  int64_t registers = 0;
  int64_t stack_bytes = 0;        ///< the largest frame of the kernel and the functions it calls
  int64_t spill_store_bytes = 0;  ///< summed over them
  int64_t spill_load_bytes = 0;
  int64_t static_smem_bytes = 0;
  int64_t barriers = 0;
  std::vector<Remark> remarks;
};

/// Parses the output of one compilation. `kernel_name` picks the entry; empty takes the largest figure of all entries.
PtxasLog parse_ptxas_log(const std::string &log, const std::string &kernel_name);

}  // namespace warpwright::compile
