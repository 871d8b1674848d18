// SPDX-License-Identifier: Apache-2.0
// Private temporary folders and files that name their owner, so that what a killed process left can be told and
// removed.
#pragma once

#include <string>

namespace warpwright::compile {

/// "<domain>-<process id>-<start time>": the domain stands for the boot and the process-id namespace in which the other
/// two mean something; ids are used again, start times are not.
const std::string &owner_tag();

/// Whether the owner of a file or folder named `<prefix><owner_tag>…` is gone: its process has ended, or, where that
/// cannot be known, `path` has not changed for an hour. False for names of any other form.
bool is_abandoned(const std::string &path, const std::string &name, const std::string &prefix);

/// A folder that only this user can read, gone with the object.
class ScratchFolder {
 public:
  /// Makes a folder in $TMPDIR or /tmp; `path()` is empty and `why()` says so if that fails.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  const std::string &path() const { return path_; }
  const std::string &why() const { return why_; }

 private:
  std::string path_;
  std::string why_;
};

/// Removes the scratch folders that processes of this user abandoned; returns how many.
int remove_abandoned_scratch();

}  // namespace warpwright::compile
