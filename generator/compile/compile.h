// SPDX-License-Identifier: Apache-2.0
// Source text in, PTX and cubin out, with everything that ptxas said as structured findings held against a policy.
#pragma once

#include "generator/support/diagnostics.h"
#include "generator/target/target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::compile {

enum class Backend { kNvcc, kNvrtc };

/// What the compiled kernel may look like.
struct CompilePolicy {
  int64_t spill_limit_bytes = 0;        ///< stores + loads, per family
  bool allow_local_memory = false;      ///< stack frame beyond the spills
  int64_t max_registers = 0;            ///< 0: no check; else the plan's launch-bound share
  int64_t dynamic_smem_bytes = 0;       ///< static shared memory must be 0 and this must fit the target
};

/// One line of ptxas, understood.
struct Finding {
  std::string slug;     ///< "compile.spill", "compile.local-memory", "compile.setmaxnreg-dropped", …
  std::string text;     ///< the tool's own words
  bool fails = false;   ///< by the policy
};

struct CompiledKernel {
  std::string ptx;
  std::vector<uint8_t> cubin;
  int64_t registers = 0;
  int64_t spill_store_bytes = 0;
  int64_t spill_load_bytes = 0;
  int64_t stack_bytes = 0;
  int64_t static_smem_bytes = 0;
  int64_t barriers = 0;
  std::vector<Finding> findings;
  std::string tool_version;  ///< "nvcc 13.0.88", never a path
  bool from_cache = false;
  double seconds = 0;
};

struct CompileOptions {
  Backend backend = Backend::kNvcc;
  bool line_info = false;
  std::string cache_folder;   ///< empty: no cache
  std::string kernel_name;    ///< the extern "C" entry, to find its findings
};

/// Compiles one emitted file for `target`.
///
/// Errors    environment.no-nvcc, environment.old-cuda (exit 5); compile.rejected with the compiler's words;
///           each policy violation by the slug of its finding (exit 4). Returns the kernel whenever a cubin was made.
/// Threads   re-entrant.
std::optional<CompiledKernel> compile_kernel(const std::string &source, const target::SmTarget &target,
                                             const CompilePolicy &policy, const CompileOptions &options,
                                             support::Diagnostics &diagnostics);

/// The CUDA tool chain in use, or nothing with environment.* diagnostics.
struct CudaToolchain {
  std::string nvcc;      ///< path
  std::string ptxas;
  std::string nvrtc;     ///< path of libnvrtc.so, may be empty
  std::string version;   ///< "13.0.88"
};
std::optional<CudaToolchain> find_cuda(support::Diagnostics &diagnostics);

}  // namespace warpwright::compile
