// SPDX-License-Identifier: Apache-2.0
// Kernels that call one row of the instruction table each, and the CUDA tools they are given to.
#pragma once

#include "generator/isa/isa.h"
#include "tests/unit/support/temporary_folder.h"

#include <set>
#include <string>
#include <vector>

namespace warpwright::tests {

/// A kernel `probe_<name>` that calls the wrapper of `instruction` (each of its overloads) and keeps the result.
std::string instruction_probe(const isa::Instruction &instruction);

/// A file of the collected text of `instructions` and a probe of each.
std::string probe_file(const std::vector<const isa::Instruction *> &instructions);

/// The first word of each PTX instruction in a form: "mbarrier.init.shared::cta.b64".
std::vector<std::string> opcodes_of(const std::string &form);

/// A folder for the files of one test, removed with it, and the tools of the CUDA installation in use.
class CudaWorkshop {
 public:
  CudaWorkshop();

  struct Output {
    bool ok = false;
    std::string text;     ///< what the tool printed
    std::string product;  ///< PTX, if that was asked for
  };
  /// Source to PTX for "sm_100a". nvcc has the assembler look at inline PTX even here.
  Output make_ptx(const std::string &source, const std::string &arch) const;
  /// PTX to a cubin, with the assembler's report of each kernel.
  Output assemble(const std::string &ptx, const std::string &arch) const;

 private:
  Output run(const std::vector<std::string> &argv, const std::string &product) const;
  TemporaryFolder folder_;
  std::string nvcc_;
  std::string ptxas_;
};

/// What the assembler's messages in `log` say that the target does not support: "tcgen05.mma", ".cta_group::2".
std::set<std::string> unsupported_features(const std::string &log);

}  // namespace warpwright::tests
