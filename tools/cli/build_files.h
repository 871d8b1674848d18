// SPDX-License-Identifier: Apache-2.0
// Many files into one folder, all of them or none.
#pragma once

#include "generator/support/diagnostics.h"

#include <string>
#include <utility>
#include <vector>

namespace warpwright::cli {

/// Writes every (name, bytes) into a hidden folder inside `folder`, then renames them into place; a file that already
/// holds the bytes keeps its time. Removes hidden folders that killed builds left.
///
/// Errors    cli.unwritable; `folder` is then as it was, unless a rename failed midway.
bool write_files(const std::string &folder, const std::vector<std::pair<std::string, std::string>> &files,
                 support::Diagnostics &diagnostics);

}  // namespace warpwright::cli
