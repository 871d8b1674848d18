#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tarball, unpacked elsewhere, plans and emits without the repository.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tools/package "$folder"
tar -xzf "$folder"/warpwright-*.tar.gz -C "$folder"
cd "$folder"/warpwright-*/
tool=$PWD/bin/warpwright
"$tool" --version
specs=$("$tool" list specs | grep -c '\.json')
if ((specs < 24)); then
  echo "error: the unpacked tool finds $specs specs" >&2
  exit 1
fi
cd /
spec=$(dirname "$tool")/../share/warpwright/kernels/w4a4_lora_gemm/flux1_mlp_up.json
"$tool" plan "$spec" >"$folder/plan.txt"
grep -q "Shared memory of one CTA" "$folder/plan.txt"
"$tool" emit "$spec" >"$folder/k.cu"
grep -q "__global__" "$folder/k.cu"
"$tool" prove "$spec"
