// SPDX-License-Identifier: Apache-2.0
// A content-addressed store of compiler outputs that many processes share, each of which may be killed at any moment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpwright::compile {

/// Entries are whole files: written under a name of their own, then renamed into place; no locks. What a reader gets
/// carries a digest over key and content, so a torn, foreign or rotten entry is a miss and the next store replaces it.
///
/// Threads   any number of threads and processes, on a local or network file system with atomic rename.
class Cache {
 public:
  /// Makes nothing yet; the folder appears with the first store.
  explicit Cache(std::string folder);

  /// The bytes stored under `key` (64 hexadecimal digits), or nothing.
  std::optional<std::string> load(const std::string &key) const;

  /// Stores or replaces. False with the reason if the folder cannot be written; the old entry is then intact.
  bool store(const std::string &key, std::string_view bytes, std::string &why) const;

  /// Removes staged files of processes that have ended; returns how many. store() does so once per process and folder.
  int remove_abandoned() const;

  /// The file of an entry, for tests and people.
  std::string entry_path(const std::string &key) const;
  std::string staging_folder() const;

 private:
  std::string folder_;
};

}  // namespace warpwright::compile
