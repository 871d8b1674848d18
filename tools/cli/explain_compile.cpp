// SPDX-License-Identifier: Apache-2.0
// What the messages of compilation, archives and the environment mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_compile() {
  return {
      {"compile.rejected", "the compiler refused an emitted file", "Emitted CUDA must compile on its own; if it does not, that is a bug in warpwright, unless the file was edited.",
       "", "Report it with the spec and the output of `warpwright --version`.", ""},
      {"compile.spill", "registers were spilled to local memory", "The kernel needs more registers than the launch bound grants; spills go through L1 on every use and ruin the epilogue.",
       "", "A smaller epilogue.staging_cols lowers the pressure; if the spec is a shipped one, report it.", "CUDA Compiler Driver NVCC 13.0, \"Printing Code Generation Statistics\""},
      {"compile.local-memory", "the kernel has a stack frame", "An array is indexed by a value that the compiler does not know, so it lives in local memory instead of registers.",
       "", "Report it with the spec: emitted code indexes registers by constants only.", "CUDA C++ Programming Guide 13.0, \"Local Memory\""},
      {"compile.setmaxnreg-dropped", "the assembler ignored setmaxnreg", "Without a known thread count the assembler cannot move registers between warp groups and says so; the kernel would run with fewer registers than planned.",
       "", "Report it with the spec: the launch bound of the emitted file is wrong.", "PTX ISA 9.0, \"setmaxnreg\""},
  };
}

}  // namespace warpwright::cli
