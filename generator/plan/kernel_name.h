// SPDX-License-Identifier: Apache-2.0
// The grammar of kernel names: formats a key, parses a name back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::plan {

/// What a kernel name says. Words are lower-case letters and digits, beginning with a letter.
struct KernelNameKey {
  std::string family;                ///< may contain single underscores
  std::vector<std::string> formats;  ///< of the operands and the output, in order
  std::vector<std::string> traits;   ///< may be empty: the name then says "plain"
  int64_t tile_m = 0, tile_n = 0, tile_k = 0;
  int64_t cta_group = 1;
  int64_t stages = 0;
  std::string arch;  ///< "sm_100a"

  bool operator==(const KernelNameKey &) const = default;
};

/// `<family>__<formats>__<traits>__m<M>n<N>k<K>_c<ctas>_s<stages>__<arch>`, words of a group joined by one underscore.
///
/// Requires  the words are as above (our bug otherwise): the name is a C identifier and parses back.
std::string format_kernel_name(const KernelNameKey &key);

/// The key of a name that format_kernel_name made; nothing for any other text.
std::optional<KernelNameKey> parse_kernel_name(const std::string &name);

}  // namespace warpwright::plan
