// SPDX-License-Identifier: Apache-2.0
// What the messages about reading archives mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_archive() {
  return {
      {"archive.corrupt", "a digest or an offset of the archive is wrong",
       "Header, manifest and blobs carry digests, and offsets must lie inside the file. A wrong one means that the file "
       "was cut short or changed on its way; the digests show integrity, not who made the file.",
       "warpwright show kernels.wwa --verify, after a transfer that broke off",
       "Copy the archive again, or build it again: equal specs and tools give equal bytes.", ""},
      {"archive.file-exists", "a file that --extract would write exists",
       "Extraction never overwrites: nothing was written.", "warpwright show kernels.wwa --extract out, twice",
       "Name another folder, or remove the old one.", ""},
      {"archive.not-an-archive", "the file does not begin with an archive's signature",
       "The first 8 bytes tell archives from other files.", "warpwright show spec.json",
       "Give the file that `build --archive` wrote.", ""},
      {"archive.unreadable", "the archive cannot be read", "The system's own words follow.",
       "warpwright show no-such-file.wwa", "Check the path and its permissions.", ""},
      {"archive.unsafe-name", "a name in the archive cannot be a file name",
       "Operators, kernels and architectures become paths below the folder given to --extract; a name with a slash, a "
       "leading dot or the like could leave it.",
       "", "Do not trust this archive: warpwright writes no such names.", ""},
      {"archive.unsupported-version", "the archive has another format version",
       "Container and manifest have version numbers; this program reads the ones it was built for.", "",
       "Use the warpwright that made the archive, or build it again.", ""},
  };
}

}  // namespace warpwright::cli
