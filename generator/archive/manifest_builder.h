// SPDX-License-Identifier: Apache-2.0
// Plans as the manifest's records.
#pragma once

#include "generator/archive/archive.h"
#include "runtime/format/archive_generated.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::archive {

/// The blobs of an archive in file order; equal blobs of one kind are kept once.
class BlobTable {
 public:
  struct Entry {
    format::BlobKind kind = format::BlobKind::Cubin;
    std::string_view bytes;
    std::string sha256_hex;
    uint64_t offset = 0;  ///< from the first blob
  };

  /// The index of the blob. `bytes` must outlive the table.
  uint32_t add(format::BlobKind kind, std::string_view bytes);
  const std::vector<Entry> &entries() const { return entries_; }
  /// From the first blob's first byte to the last one's last.
  uint64_t total_bytes() const { return total_bytes_; }

 private:
  std::map<std::pair<format::BlobKind, std::string>, uint32_t> index_;
  std::vector<Entry> entries_;
  uint64_t total_bytes_ = 0;
};

/// A finished manifest. Ensures its length does not depend on `blobs_begin`.
flatbuffers::DetachedBuffer build_manifest(const std::vector<const PackedOperator *> &operators, BlobTable &blobs,
                                           uint64_t blobs_begin);

}  // namespace warpwright::archive
