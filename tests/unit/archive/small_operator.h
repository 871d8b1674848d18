// SPDX-License-Identifier: Apache-2.0
// A hand-made operator for the archive's and the runtime's tests: three kernels, workspace, dispatch by m.
#pragma once

#include "generator/archive/archive.h"

#include <string>
#include <vector>

namespace warpwright::testing {

/// The smallest file that the runtime takes for a cubin: an ELF header of the CUDA machine, then `payload`.
std::vector<uint8_t> fake_cubin(const std::string &payload);

/// An operator "<name>" of variables m (bound) and n = 256, k = 512 (fixed):
///   m ≤ 64            kernel <name>_small, grid min(num_sms, ceil_div(m, 16))
///   m ≤ 4096          kernel <name>_main, cluster 2, programmatic dependent launch; then <name>_combine
/// with tensors x (u8 rows of k, map_x: 128-byte swizzle), scale (fp32 [n]), y (bf16 [m, n], map_y: stored).
archive::PackedOperator small_operator(const std::string &name);

/// A folder of its own under the system's temporary one, removed with its contents at the end of the scope.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  std::string path(const std::string &name) const { return folder_ + "/" + name; }
  const std::string &folder() const { return folder_; }

 private:
  std::string folder_;
};

std::string read_bytes(const std::string &file);
void write_bytes(const std::string &file, const std::string &bytes);

/// The bytes of an archive of small operators with these names.
std::string small_archive_bytes(const std::vector<std::string> &names);

/// Makes the header's and the manifest's digests match again after a change. Requires at least a header.
void repair_digests(std::string &bytes);

}  // namespace warpwright::testing
