#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The runtime and its reader's fuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.
set -euo pipefail
folder=$2/full-sanitize
cmake -S "$1" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DWARPWRIGHT_GENERATOR=OFF -DWARPWRIGHT_TESTS=ON \
  -DWARPWRIGHT_SANITIZE=address,undefined
cmake --build "$folder"
ctest --test-dir "$folder" --output-on-failure --no-tests=error
