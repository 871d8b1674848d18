#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unit, property and fuzz tests under AddressSanitizer and UndefinedBehaviorSanitizer; none of them links MLIR.
set -euo pipefail
cmake --preset sanitize
folders=()
for list in tests/{unit,property,fuzz}/*/CMakeLists.txt; do folders+=("$(dirname "$list")/all"); done
ninja -C build/sanitize "${folders[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
ctest --test-dir build/sanitize --output-on-failure --no-tests=error --parallel "$(nproc)" -L '^(unit|property|fuzz)$'
