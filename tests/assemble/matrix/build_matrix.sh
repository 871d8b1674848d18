#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles planning points of the W4A4 matrix so that every setting of every axis occurs TIMES times, or as often as it
# plans; any ptxas finding fails the build. Usage: build_matrix.sh WARPWRIGHT MATRIX_TEST FOLDER TIMES
set -euo pipefail
tool=$1 matrix=$2 folder=$3 times=$4
rm -rf "$folder"
mkdir -p "$folder/specs"
WARPWRIGHT_COVER_FOLDER="$folder/specs" WARPWRIGHT_COVER_TIMES="$times" "$matrix" '[.cover]' > "$folder/cover.log" || { cat "$folder/cover.log"; exit 1; }
specs=$(find "$folder/specs" -name '*.json' | wc -l)
echo "$specs specs, every setting $times times"
"$tool" build "$folder/specs" -o "$folder/out" --backend nvrtc --no-cache > "$folder/build.log"
cubins=$(find "$folder/out" -name '*.cubin' | wc -l)
echo "$cubins cubins"
# Points may plan to the same kernel, but not all of them.
[ "$cubins" -gt 1 ]
