// SPDX-License-Identifier: Apache-2.0
// Checks an archive's header, then its manifest, before anybody follows an offset.
#include "runtime/format/reader.h"

#include "runtime/format/container.h"
#include "runtime/format/digest.h"
#include "runtime/format/manifest_check.h"

#include <cstring>

namespace warpwright::format {

namespace {

std::string number(uint64_t value) { return std::to_string(value); }

ReadError check_header(const uint8_t *bytes, size_t num_bytes, Header *header, std::string *problem) {
  if (num_bytes < sizeof(kMagic) || std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0) {
    *problem = "not a Warpwright archive: the first 8 bytes are not its signature";
    return ReadError::kNotAnArchive;
  }
  if (num_bytes < sizeof(Header)) {
    *problem = "the file ends inside the header, at byte " + number(num_bytes);
    return ReadError::kTruncated;
  }
  std::memcpy(header, bytes, sizeof(Header));
  // The version comes before the digest: another version may place it elsewhere.
  if (header->container_version != kContainerVersion) {
    *problem = "container version " + number(header->container_version) + "; this runtime reads version " +
               number(kContainerVersion);
    return ReadError::kUnsupportedVersion;
  }
  const Xxh3Digest digest = xxh3_of(bytes, offsetof(Header, header_xxh3));
  if (digest != Xxh3Digest{header->header_xxh3[0], header->header_xxh3[1]}) {
    *problem = "the header's digest does not match its bytes";
    return ReadError::kCorrupt;
  }
  if (header->file_bytes > num_bytes) {
    *problem = "the header says " + number(header->file_bytes) + " bytes; there are " + number(num_bytes);
    return ReadError::kTruncated;
  }
  const bool is_sound = header->file_bytes == num_bytes && header->header_bytes == sizeof(Header) &&
                        header->manifest_offset == sizeof(Header) && header->manifest_bytes <= kMaxManifestBytes &&
                        header->manifest_bytes <= num_bytes - sizeof(Header) && header->signature_offset == 0 &&
                        header->signature_bytes == 0;
  if (is_sound) return ReadError::kNone;
  *problem = "the header's offsets do not describe this file of " + number(num_bytes) + " bytes";
  return ReadError::kCorrupt;
}

bool is_zero(const uint8_t *bytes, size_t num_bytes) {
  for (size_t i = 0; i < num_bytes; ++i)
    if (bytes[i] != 0) return false;
  return true;
}

}  // namespace

ReadError ArchiveView::open(const uint8_t *bytes, size_t num_bytes, std::string *problem) {
  Header header;
  const ReadError error = check_header(bytes, num_bytes, &header, problem);
  if (error != ReadError::kNone) return error;

  const uint8_t *manifest = bytes + header.manifest_offset;
  const size_t manifest_bytes = static_cast<size_t>(header.manifest_bytes);
  const Xxh3Digest digest = xxh3_of(manifest, manifest_bytes);
  if (digest != Xxh3Digest{header.manifest_xxh3[0], header.manifest_xxh3[1]}) {
    *problem = "the manifest's digest does not match its bytes";
    return ReadError::kCorrupt;
  }
  // An integrity digest can be forged, so the structure is checked as if it had been.
  flatbuffers::Verifier verifier(manifest, manifest_bytes);
  if (manifest_bytes < 16 || !VerifyManifestBuffer(verifier)) {
    *problem = "the manifest is not a valid FlatBuffer of type WWA1";
    return ReadError::kCorrupt;
  }
  const Manifest *root = GetManifest(manifest);
  if (root->schema_version() != kSchemaVersion) {
    *problem = "manifest schema version " + number(root->schema_version()) + "; this runtime reads version " +
               number(kSchemaVersion);
    return ReadError::kUnsupportedVersion;
  }
  const size_t manifest_end = sizeof(Header) + manifest_bytes;
  if (!check_manifest(*root, manifest_end, num_bytes, problem)) return ReadError::kCorrupt;

  bytes_ = bytes;
  num_bytes_ = num_bytes;
  manifest_end_ = manifest_end;
  manifest_ = root;
  return ReadError::kNone;
}

BlobView ArchiveView::blob(uint32_t index) const {
  const Blob *blob = manifest_->blobs()->Get(index);
  return {bytes_ + blob->offset(), static_cast<size_t>(blob->bytes())};
}

bool ArchiveView::check_blob(uint32_t index, std::string *problem) const {
  const Blob *record = manifest_->blobs()->Get(index);
  const BlobView view = blob(index);
  if (xxh3_of(view.bytes, view.num_bytes) == Xxh3Digest{record->xxh3()->low(), record->xxh3()->high()}) return true;
  *problem = std::string("blob ") + number(index) + " (" + EnumNameBlobKind(record->kind()) + ", " +
             number(view.num_bytes) + " bytes at offset " + number(record->offset()) +
             ") does not match its digest";
  return false;
}

bool ArchiveView::check_all(std::string *problem) const {
  size_t end = manifest_end_;
  for (uint32_t i = 0; i < manifest_->blobs()->size(); ++i) {
    if (!check_blob(i, problem)) return false;
    const size_t begin = static_cast<size_t>(manifest_->blobs()->Get(i)->offset());
    if (!is_zero(bytes_ + end, begin - end)) {
      *problem = "the padding before offset " + number(begin) + " is not zero";
      return false;
    }
    end = begin + blob(i).num_bytes;
  }
  if (end == num_bytes_) return true;
  *problem = number(num_bytes_ - end) + " bytes follow the last blob";
  return false;
}

}  // namespace warpwright::format
