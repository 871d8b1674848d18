// SPDX-License-Identifier: Apache-2.0
// What the verb `show` shares between its forms: an archive in memory, and its words for people.
#pragma once

#include "runtime/format/reader.h"

#include <string>
#include <string_view>

namespace warpwright::cli {

/// An archive whose header and manifest were checked.
struct ShownArchive {
  std::string file;
  std::string bytes;
  format::ArchiveView view;

  std::string_view blob(uint32_t index) const {
    const format::BlobView content = view.blob(index);
    return {reinterpret_cast<const char *>(content.bytes), content.num_bytes};
  }
};

/// 64 hexadecimal digits of the digest that the manifest holds.
std::string stored_sha256(const ShownArchive &archive, uint32_t blob);

/// For people: operators, tensors, recipes, images, digests.
std::string show_text(const ShownArchive &archive);

/// The same and more as one JSON object.
std::string show_json(const ShownArchive &archive);

}  // namespace warpwright::cli
