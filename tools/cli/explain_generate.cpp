// SPDX-License-Identifier: Apache-2.0
// What the messages of IR, lowering and emission mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_generate() {
  return {

  };
}

}  // namespace warpwright::cli
