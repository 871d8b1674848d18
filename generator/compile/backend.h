// SPDX-License-Identifier: Apache-2.0
// What the compilers have in common: one job in, PTX, cubin and log out.
#pragma once

#include "generator/compile/compile.h"

namespace warpwright::compile {

struct CompileJob {
  const std::string &source;
  const target::SmTarget &target;
  const CompileOptions &options;
  std::string file_name;  ///< "kernel.cu": appears in messages and, with line information, in the cubin
};

struct CompilerOutput {
  bool is_made = false;  ///< a cubin exists
  std::string ptx;       ///< the text that ptxas read
  std::string cubin;
  std::string log;  ///< everything that the compiler printed
};

/// Runs nvcc in a scratch folder. False with a diagnostic when it could not do its work: environment.no-scratch,
/// environment.no-host-compiler, environment.no-nvcc, compile.time-limit. A rejected source is an output without a
/// cubin.
bool compile_with_nvcc(const CompileJob &job, const CudaToolchain &toolchain, CompilerOutput &output,
                       support::Diagnostics &diagnostics);

/// Compiles in this process. The same, with environment.no-nvrtc; line information also needs the ptxas of `toolchain`.
bool compile_with_nvrtc(const CompileJob &job, const NvrtcLibrary &library, CompilerOutput &output,
                        support::Diagnostics &diagnostics);

/// Assembles PTX whose line table names `folder`, under the fixed name /warpwright instead: with line information the
/// compilers write their working folder into their output, and equal input must give equal bytes.
bool assemble_with_lines(const CompileJob &job, const std::string &ptxas, const std::string &folder,
                         CompilerOutput &output, support::Diagnostics &diagnostics);

/// Part of a cache key: every flag that both backends pass.
std::vector<std::string> ptxas_flags();
constexpr char kLanguageFlag[] = "--std=c++17";

}  // namespace warpwright::compile
