// SPDX-License-Identifier: Apache-2.0
// What the messages of the protocol check mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_prove() {
  return {

  };
}

}  // namespace warpwright::cli
