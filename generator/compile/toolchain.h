// SPDX-License-Identifier: Apache-2.0
// Where CUDA is looked for, as data, so that tests can look elsewhere.
#pragma once

#include "generator/compile/compile.h"

#include <string>
#include <vector>

namespace warpwright::compile {

/// The oldest release whose ptxas knows every form we emit: PTX ISA 9.0, "Release Notes", came with CUDA 13.0.
constexpr int kOldestCudaMajor = 13;
constexpr int kOldestCudaMinor = 0;

/// Folders that may be CUDA installations (with bin/nvcc, or nvidia/cu*/bin/nvcc as the PyPI wheels lay it out), each
/// with the words that name it in messages.
struct CudaPlace {
  std::string folder;
  std::string words;  ///< "PATH", "$CUDA_HOME"
};

/// Reads the environment: see find_cuda().
std::vector<CudaPlace> cuda_places();

std::optional<CudaToolchain> find_cuda_in(const std::vector<CudaPlace> &places, support::Diagnostics &diagnostics);
std::optional<NvrtcLibrary> find_nvrtc_in(const std::vector<CudaPlace> &places, support::Diagnostics &diagnostics);

/// "13.0.88" of the text that `nvcc --version` prints, or of the header of a PTX file; empty if there is none.
std::string cuda_version_in(const std::string &text);

}  // namespace warpwright::compile
