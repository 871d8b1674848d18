// SPDX-License-Identifier: Apache-2.0
// The one translation unit that compiles xxHash in.
#include "runtime/format/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warpwright::format {

Xxh3Digest xxh3_of(const void *bytes, size_t num_bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, num_bytes);
  return {hash.low64, hash.high64};
}

}  // namespace warpwright::format
