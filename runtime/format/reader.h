// SPDX-License-Identifier: Apache-2.0
// A checked view of an archive's bytes.
#pragma once

#include "runtime/format/archive_generated.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpwright::format {

enum class ReadError {
  kNone,
  kNotAnArchive,        ///< the magic is missing
  kUnsupportedVersion,  ///< made by a newer (or older) generator
  kTruncated,           ///< fewer bytes than the header says
  kCorrupt,             ///< a digest or an offset is wrong
};

/// A byte range inside the archive.
struct BlobView {
  const uint8_t *bytes = nullptr;
  size_t num_bytes = 0;
};

/// An archive whose header and manifest were checked.
///
/// Ensures   after open(): every offset lies inside the bytes; every index in the manifest is in range; enumerators
///           are known; operators are sorted with unique names; blobs are aligned, ascending and disjoint.
///           Expressions are not parsed, blob contents are not digested.
/// Lifetime  points into the bytes given to open().
/// Threads   immutable after open().
class ArchiveView {
 public:
  /// Requires `bytes` aligned to kManifestAlignBytes. `problem` says what is wrong, with offsets.
  ReadError open(const uint8_t *bytes, size_t num_bytes, std::string *problem);

  const Manifest &manifest() const { return *manifest_; }
  BlobView blob(uint32_t index) const;
  /// Compares a blob with its XXH3-128. Cost: reads the whole blob.
  bool check_blob(uint32_t index, std::string *problem) const;
  /// Every blob, and that all bytes outside header, manifest and blobs are zero. Cost: reads the whole file.
  bool check_all(std::string *problem) const;

 private:
  const uint8_t *bytes_ = nullptr;
  size_t num_bytes_ = 0;
  size_t manifest_end_ = 0;
  const Manifest *manifest_ = nullptr;
};

}  // namespace warpwright::format
