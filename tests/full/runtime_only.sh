#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The runtime builds and passes its tests with -DWARPWRIGHT_GENERATOR=OFF, and nothing of it needs LLVM.
set -euo pipefail
cmake --preset runtime
cmake --build --preset runtime
ctest --test-dir build/runtime --output-on-failure --no-tests=error --label-exclude check
# Of the commands that are run, not of build.ninja: it lists CMake's own modules, one of them named after a compiler.
ninja -C build/runtime -t commands >build/runtime/commands.txt
if grep -i llvm build/runtime/commands.txt >&2; then
  echo "error: the runtime's build names LLVM" >&2
  exit 1
fi
