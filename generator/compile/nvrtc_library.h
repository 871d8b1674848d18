// SPDX-License-Identifier: Apache-2.0
// libnvrtc, opened at run time: the tool is built without CUDA.
#pragma once

#include <cstddef>
#include <string>

namespace warpwright::compile {

/// The entry points in use. Source: NVRTC documentation, CUDA 13.0, "General Information Query", "Compilation".
/// Status 0 is NVRTC_SUCCESS; a program is an opaque pointer.
struct Nvrtc {
  using Program = struct _nvrtcProgram *;
  int (*version_of)(int *major, int *minor) = nullptr;
  const char *(*error_string)(int status) = nullptr;
  int (*create)(Program *program, const char *source, const char *name, int num_headers, const char *const *headers,
                const char *const *include_names) = nullptr;
  int (*destroy)(Program *program) = nullptr;
  int (*compile)(Program program, int num_options, const char *const *options) = nullptr;
  int (*log_bytes)(Program program, size_t *bytes) = nullptr;
  int (*log)(Program program, char *text) = nullptr;
  int (*ptx_bytes)(Program program, size_t *bytes) = nullptr;
  int (*ptx)(Program program, char *text) = nullptr;
  int (*cubin_bytes)(Program program, size_t *bytes) = nullptr;
  int (*cubin)(Program program, char *bytes) = nullptr;
  std::string version;  ///< "13.0"
};

/// Opens the library once per file and process; null with the reason. Never closed.
///
/// Threads   re-entrant; so are the entry points, on different programs.
const Nvrtc *open_nvrtc(const std::string &file, std::string &why);

}  // namespace warpwright::compile
