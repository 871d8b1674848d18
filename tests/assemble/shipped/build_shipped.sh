#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build_shipped.sh TOOL CONFIGS SCRATCH
set -euo pipefail
tool=$1 configs=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"/{first,second}
specs=$(find "$configs/kernels" "$configs/ladder" -name '*.json' | wc -l)
((specs >= 24)) || { echo "only $specs specs found"; exit 1; }

# Every spec for every target of its family.
wanted=0
for folder in "$configs"/kernels/*/ "$configs"/ladder/*/; do
  mapfile -t archs < <("$tool" schema "$(basename "$folder")" | grep -oE '"sm_[0-9]+[af]"' | tr -d '"' | sort -u)
  ((${#archs[@]} > 0)) || { echo "no targets for $folder"; exit 1; }
  "$tool" build "$folder" -o "$scratch/all" "${archs[@]/#/--arch=}" -j 2 --cache-folder "$scratch/cache" >"$scratch/build.txt"
  wanted=$((wanted + ${#archs[@]} * $(find "$folder" -name '*.json' | wc -l)))
done
cubins=$(find "$scratch/all" -name '*.cubin' | wc -l)
((cubins == wanted)) || { echo "$cubins cubins from $specs specs, $wanted wanted"; exit 1; }

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
