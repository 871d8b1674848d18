#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build_shipped.sh TOOL CONFIGS SCRATCH
set -euo pipefail
tool=$1 configs=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"/{first,second}
specs=$(find "$configs/kernels" "$configs/ladder" -name '*.json' | wc -l)
((specs >= 24)) || { echo "only $specs specs found"; exit 1; }

targets=(--arch sm_100a --arch sm_100f --arch sm_103a)
for folder in "$configs"/kernels/*/ "$configs/ladder"; do
  "$tool" build "$folder" -o "$scratch/all" "${targets[@]}" -j 2 --cache-folder "$scratch/cache" >"$scratch/build.txt"
done
cubins=$(find "$scratch/all" -name '*.cubin' | wc -l)
((cubins == 3 * specs)) || { echo "$cubins cubins from $specs specs"; exit 1; }

# An emitted file stands alone: compiled by hand, in a folder of its own.
mkdir "$scratch/alone"
cp "$scratch/all/flux1_qkv.cu" "$scratch/alone/k.cu"
nvcc=$(command -v nvcc || true)
if [[ -n $nvcc ]]; then
  (cd "$scratch/alone" && "$nvcc" -gencode arch=compute_100a,code=sm_100a -cubin k.cu)
fi

for copy in first second; do
  (cd "$scratch/$copy" &&
    "$tool" build "$configs/kernels/w4a4_lora_gemm/flux1_qkv.json" -o out --no-cache --archive kernels.wwa >/dev/null)
done
cmp "$scratch/first/kernels.wwa" "$scratch/second/kernels.wwa"
rm -rf "$scratch"
