// SPDX-License-Identifier: Apache-2.0
// What the messages of `run --on gpu` and `time` mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_gpu() {
  return {
      {"environment.no-gpu", "there is no such GPU, or no CUDA driver",
       "`run --on gpu` and `time` open libcuda.so.1, or the library that $WARPWRIGHT_LIBCUDA names, and make a context on the device of "
       "--device. The message has what was opened and what the driver says.",
       "warpwright time kernels.wwa --on gpu --shape m=16, on a machine without a GPU",
       "Install the driver, or name another device; `run --on emulator` needs no GPU.", ""},
      {"environment.old-driver", "the CUDA driver lacks a function",
       "The message names the first one that was looked up in vain. Cubins of CUDA 13.0 need a driver of that version as well.", "",
       "Install a driver for CUDA 13.0 or later.", ""},
      {"environment.other-gpu", "the kernels are for another architecture than the GPU's",
       "sm_90a and its like run on exactly that compute capability, sm_100f on those of its family. The message names both.",
       "warpwright run flux1_qkv.json --on gpu, on an H200", "Take a spec for this GPU's architecture, or --on emulator.",
       "CUDA Compiler Driver NVCC 13.0, \"GPU Feature List\""},
      {"run.other-archive", "the archive does not have the spec's operator",
       "With --archive, what runs comes from the archive, and what it is compared with comes from the spec; both must have the same plan, "
       "byte for byte.",
       "warpwright run my_gemm.json --on gpu --archive kernels.wwa --set lora.rank=64, of an archive with rank 32",
       "Build the archive from this spec with the same --set and the same version of warpwright.", ""},
  };
}

}  // namespace warpwright::cli
