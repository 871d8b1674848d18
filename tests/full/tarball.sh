#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tarball's tool runs from another folder, with no path of the build in it.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1/tools/package" "$scratch/tool.tar.gz"
tar -C "$scratch" -xzf "$scratch/tool.tar.gz"
tool=$(echo "$scratch"/warpwright-*/bin/warpwright)
"$tool" --version
"$tool" plan "$scratch"/warpwright-*/configs/kernels/w4a4_lora_gemm/flux1_qkv.json >/dev/null
if readelf -d "$tool" | grep -E 'R(UN)?PATH' | grep -qv 'ORIGIN'; then
  echo "the run path is not relative"
  exit 1
fi
