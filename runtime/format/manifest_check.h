// SPDX-License-Identifier: Apache-2.0
// What a manifest must obey beyond being a valid FlatBuffer: indices, counts, enumerators, order.
#pragma once

#include "runtime/format/archive_generated.h"

#include <cstdint>
#include <string>

namespace warpwright::format {

/// True if every index and range in `manifest` can be followed. `blobs_begin` is the first byte that a blob may
/// occupy, `file_bytes` one past the last. Otherwise `problem` names the record.
bool check_manifest(const Manifest &manifest, uint64_t blobs_begin, uint64_t file_bytes, std::string *problem);

}  // namespace warpwright::format
