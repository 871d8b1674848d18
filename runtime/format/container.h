// SPDX-License-Identifier: Apache-2.0
// The archive as a file: a fixed header, the manifest, and 4096-aligned blobs behind it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::format {

/// The first bytes of an archive. Like PNG's signature it is not text, so that a transfer which rewrites line ends
/// or strips the eighth bit is noticed at once.
constexpr unsigned char kMagic[8] = {0x89, 'W', 'W', 'A', '\r', '\n', 0x1a, '\n'};

constexpr uint32_t kContainerVersion = 1;
constexpr uint32_t kSchemaVersion = 1;

/// Blobs begin on pages, so that a mapped file can be handed to the driver in place.
constexpr uint64_t kBlobAlignBytes = 4096;
/// FlatBuffers offsets are signed 32-bit.
constexpr uint64_t kMaxManifestBytes = 0x7fffffff;

/// The file header, little-endian, at offset 0.
///
/// Ensures   every byte of an archive is covered: the header by `header_xxh3`, the manifest by `manifest_xxh3`, each
///           blob by its digest in the manifest; all other bytes are zero. This is integrity, not authenticity.
struct Header {
  unsigned char magic[8];
  uint32_t container_version;
  uint32_t header_bytes;     ///< sizeof(Header); the manifest follows
  uint64_t file_bytes;
  uint64_t manifest_offset;
  uint64_t manifest_bytes;
  uint64_t manifest_xxh3[2]; ///< low, high
  uint64_t signature_offset; ///< room for a signature of the manifest; 0: none
  uint64_t signature_bytes;
  uint64_t reserved[5];      ///< zero
  uint64_t header_xxh3[2];   ///< of the bytes before it
};
static_assert(sizeof(Header) == 128 && offsetof(Header, header_xxh3) == 112, "the header has no padding");

/// The manifest's FlatBuffers scalars are at most 8 bytes wide.
constexpr uint64_t kManifestAlignBytes = 8;
static_assert(sizeof(Header) % kManifestAlignBytes == 0, "the manifest follows the header directly");

constexpr uint64_t align_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

}  // namespace warpwright::format
