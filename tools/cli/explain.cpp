// SPDX-License-Identifier: Apache-2.0
// All explanations in one list.
#include "tools/cli/explain.h"

#include <algorithm>

namespace warpwright::cli {

const std::vector<Explanation> &explanations() {
  static const std::vector<Explanation> all = [] {
    std::vector<Explanation> out;
    for (const auto &stage : {explain_spec(), explain_plan(), explain_generate(), explain_prove(), explain_compile(),
                              explain_archive(), explain_cli(), explain_gpu(), explain_conformance(), explain_pack(), explain_emulator()}) {
      out.insert(out.end(), stage.begin(), stage.end());
    }
    std::sort(out.begin(), out.end(), [](const Explanation &a, const Explanation &b) { return a.slug < b.slug; });
    return out;
  }();
  return all;
}

}  // namespace warpwright::cli
