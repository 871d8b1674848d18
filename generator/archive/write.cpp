// SPDX-License-Identifier: Apache-2.0
// Lays the archive out, reads it back through the runtime, and writes it.
#include "generator/archive/archive.h"

#include "generator/archive/manifest_builder.h"
#include "generator/support/files.h"
#include "runtime/format/container.h"
#include "runtime/format/digest.h"
#include "warpwright/warpwright.h"

#include <algorithm>
#include <cstring>

namespace warpwright::archive {

namespace {

bool report(support::Diagnostics &diagnostics, const char *slug, const std::string &file, std::string message) {
  support::Diagnostic diagnostic;
  diagnostic.slug = slug;
  diagnostic.where.file = file;
  diagnostic.message = std::move(message);
  diagnostics.add(std::move(diagnostic));
  return false;
}

void write_header(std::string &bytes, uint64_t manifest_bytes) {
  format::Header header = {};
  std::memcpy(header.magic, format::kMagic, sizeof(header.magic));
  header.container_version = format::kContainerVersion;
  header.header_bytes = sizeof(header);
  header.file_bytes = bytes.size();
  header.manifest_offset = sizeof(header);
  header.manifest_bytes = manifest_bytes;
  const format::Xxh3Digest manifest = format::xxh3_of(bytes.data() + sizeof(header), manifest_bytes);
  header.manifest_xxh3[0] = manifest.low;
  header.manifest_xxh3[1] = manifest.high;
  const format::Xxh3Digest digest = format::xxh3_of(&header, offsetof(format::Header, header_xxh3));
  header.header_xxh3[0] = digest.low;
  header.header_xxh3[1] = digest.high;
  std::memcpy(bytes.data(), &header, sizeof(header));
}

/// The whole file.
std::string lay_out(const std::vector<const PackedOperator *> &operators) {
  BlobTable blobs;
  // The manifest holds the blobs' offsets, which follow from its own length: measure, then build.
  const uint64_t manifest_bytes = build_manifest(operators, blobs, 0).size();
  const uint64_t manifest_end = sizeof(format::Header) + manifest_bytes;
  const bool has_blobs = !blobs.entries().empty();
  const uint64_t blobs_begin =
      has_blobs ? format::align_up(manifest_end, format::kBlobAlignBytes) : manifest_end;
  const flatbuffers::DetachedBuffer manifest = build_manifest(operators, blobs, blobs_begin);
  WARPWRIGHT_ASSERT(manifest.size() == manifest_bytes, "the manifest's length depends on the offsets in it");

  std::string bytes(blobs_begin + blobs.total_bytes(), '\0');
  std::memcpy(bytes.data() + sizeof(format::Header), manifest.data(), manifest.size());
  for (const BlobTable::Entry &entry : blobs.entries())
    std::memcpy(bytes.data() + blobs_begin + entry.offset, entry.bytes.data(), entry.bytes.size());
  write_header(bytes, manifest_bytes);
  return bytes;
}

/// What the runtime says about the bytes; empty if it accepts them.
std::string read_back(const std::string &bytes) {
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  ww_status_t status = wwArchiveOpenMemory(bytes.data(), bytes.size(), &archive, &message);
  if (status == WW_STATUS_OK) status = wwArchiveVerify(archive, &message);
  wwArchiveClose(archive);
  if (status == WW_STATUS_OK) return {};
  return std::string(wwStatusText(status)) + ": " + message.text;
}

}  // namespace

bool write_archive(const std::string &file, const std::vector<PackedOperator> &operators,
                   support::Diagnostics &diagnostics) {
  std::vector<const PackedOperator *> sorted;
  for (const PackedOperator &packed : operators) sorted.push_back(&packed);
  std::sort(sorted.begin(), sorted.end(), [](const PackedOperator *left, const PackedOperator *right) {
    return left->plan.name < right->plan.name;
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->plan.name == sorted[i]->plan.name)
      return report(diagnostics, "archive.duplicate-name", file,
                    "two operators are called " + sorted[i]->plan.name + "; an operator has the name of its spec file");

  const std::string bytes = lay_out(sorted);
  if (const std::string problem = read_back(bytes); !problem.empty())
    return report(diagnostics, "archive.invalid-recipe", file, "the runtime does not accept the archive: " + problem);
  std::string why;
  if (support::write_file(file, bytes, why)) return true;
  return report(diagnostics, "archive.unwritable", file, "cannot write the archive: " + why);
}

}  // namespace warpwright::archive
