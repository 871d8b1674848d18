// SPDX-License-Identifier: Apache-2.0
// Source text in, PTX and cubin out, with everything that ptxas said as structured findings held against a policy.
#pragma once

#include "generator/support/diagnostics.h"
#include "generator/target/target.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::compile {

enum class Backend { kNvcc, kNvrtc };

/// What the compiled kernel may look like.
struct CompilePolicy {
  int64_t spill_limit_bytes = 0;    ///< stores + loads, per family
  bool allow_local_memory = false;  ///< stack frame beyond the spills
  int64_t max_registers = 0;        ///< 0: no check; else the plan's launch-bound share
  int64_t dynamic_smem_bytes = 0;   ///< static shared memory must be 0 and this must fit the target
};

/// One line of ptxas, understood. Slugs that fail: compile.spill (beyond the limit), compile.local-memory,
/// compile.too-many-registers, compile.static-smem, compile.dynamic-smem, compile.setmaxnreg-dropped (C7508),
/// compile.wgmma-serialised (C7510–C7515, C7602), compile.performance-loss (any other loss that ptxas reports). Slugs that
/// do not: compile.spill within the limit, compile.wgmma-repaired (C7517, C7519), compile.remark,
/// compile.frontend-warning.
struct Finding {
  std::string slug;
  std::string text;    ///< the tool's own words, without paths and times
  bool fails = false;  ///< by the policy
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
  std::string cache_folder;    ///< empty: no cache
  std::string kernel_name;     ///< the extern "C" entry, to find its findings
  double limit_seconds = 120;  ///< of each compiler process; NVRTC cannot be stopped
  /// Called with each command line that is about to run, as one could paste it into a shell.
  std::function<void(const std::string &)> on_command;
};

/// Compiles one emitted file for `target`.
///
/// Ensures   equal source, target and options give equal bytes, whatever the folder; `ptx` is the text that ptxas read.
///           Temporary folders are gone on return; those of killed processes are removed by later calls.
/// Errors    environment.no-nvcc, environment.no-nvrtc, environment.no-host-compiler, environment.old-cuda,
///           environment.no-scratch (exit 5); compile.rejected with the compiler's words; compile.time-limit; each
///           policy violation by the slug of its finding (exit 4). Returns the kernel whenever a cubin was made.
///           A cache that cannot be written is a warning, compile.cache-unwritable.
/// Threads   re-entrant.
std::optional<CompiledKernel> compile_kernel(const std::string &source, const target::SmTarget &target,
                                             const CompilePolicy &policy, const CompileOptions &options,
                                             support::Diagnostics &diagnostics);

/// A CUDA installation of version 13.0 or later.
struct CudaToolchain {
  std::string nvcc;  ///< path
  std::string ptxas;
  std::string nvrtc;    ///< path of libnvrtc.so.N, may be empty
  std::string version;  ///< "13.0.88"
};

/// The tool chain in use: of $WARPWRIGHT_CUDA alone if it is set, else the first that is new enough of PATH,
/// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, and a folder `.cuda` above the working folder or the program.
///
/// Errors    environment.no-nvcc with the places searched; environment.old-cuda with the versions found.
/// Threads   re-entrant; the answer is remembered for as long as those variables and the working folder stay the same.
std::optional<CudaToolchain> find_cuda(support::Diagnostics &diagnostics);

/// NVRTC of version 13.0 or later, searched in the same places; needs no nvcc.
struct NvrtcLibrary {
  std::string path;
  std::string version;  ///< "13.0"
};
std::optional<NvrtcLibrary> find_nvrtc(support::Diagnostics &diagnostics);

/// $WARPWRIGHT_CACHE, $XDG_CACHE_HOME/warpwright or ~/.cache/warpwright; empty if there is no home either.
std::string default_cache_folder();

}  // namespace warpwright::compile
