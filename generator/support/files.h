// SPDX-License-Identifier: Apache-2.0
// Whole files in, whole files out: a reader of a written file sees the old bytes or the new ones, never half.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpwright::support {

/// The bytes of `file`, "-" being standard input; or nothing, with the reason in `why` ("No such file or directory").
/// Refuses folders, and anything longer than `limit_bytes`. What a pipe or standard input gave is given again.
std::optional<std::string> read_file(const std::string &file, std::string &why, int64_t limit_bytes = int64_t{1} << 32);

enum class IfExists {
  kReplace,       ///< the new bytes take the old file's place
  kRefuse,        ///< an existing file is left alone and the call fails with "File exists"
  kKeepIfEqual,   ///< equal bytes leave the file untouched, its time included
};

/// Writes a temporary file beside `file` and renames it; folders on the way must exist.
///
/// Ensures   on failure nothing has changed and no temporary file is left, unless the process was killed. Survives a
///           kill at any moment, not a power cut. A device or pipe is written to directly.
/// Threads   any number of writers, in this and other processes.
bool write_file(const std::string &file, std::string_view bytes, std::string &why,
                IfExists if_exists = IfExists::kReplace);

/// Makes `folder` and its parents; true if it is a folder afterwards.
bool make_folders(const std::string &folder, std::string &why);

bool is_file(const std::string &path);
bool is_folder(const std::string &path);

}  // namespace warpwright::support
