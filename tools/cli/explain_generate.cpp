// SPDX-License-Identifier: Apache-2.0
// What the messages of IR, lowering and emission mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_generate() {
  return {
      {"lower.rejected", "a pass or a verifier refuses the intermediate form",
       "The plan was legal, so the form built from it should be too. The message stands at the spec's line that the operation comes from.",
       "",
       "This is a bug in warpwright: report it with the spec and the output of `warpwright --version`.", ""},
      {"lower.unknown-pass", "--dump-after names a pass that does not exist",
       "Dumps are taken by the name of a pass, or with \"all\".",
       "warpwright emit SPEC --dump-after lower-chanels",
       "Correct the name; the message says which passes there are.", ""},
  };
}

}  // namespace warpwright::cli
