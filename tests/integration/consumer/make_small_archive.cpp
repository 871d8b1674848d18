// SPDX-License-Identifier: Apache-2.0
// Writes the tests' small archive: make_small_archive FILE OPERATOR…
#include "tests/unit/archive/small_operator.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  std::vector<warpwright::archive::PackedOperator> operators;
  for (int i = 2; i < argc; ++i) operators.push_back(warpwright::testing::small_operator(argv[i]));
  warpwright::support::Diagnostics diagnostics;
  if (warpwright::archive::write_archive(argv[1], operators, diagnostics)) return 0;
  std::fputs(diagnostics.render().c_str(), stderr);
  return 1;
}
