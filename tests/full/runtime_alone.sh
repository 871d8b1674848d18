#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The runtime builds and passes its tests with the generator, and so LLVM, switched off.
set -euo pipefail
folder=$2/full-runtime
cmake -S "$1" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWARPWRIGHT_GENERATOR=OFF -DWARPWRIGHT_TESTS=ON
cmake --build "$folder"
ctest --test-dir "$folder" --output-on-failure --no-tests=error
if grep -q LLVM_DIR "$folder/CMakeCache.txt"; then
  echo "the runtime's build looked for LLVM"
  exit 1
fi
