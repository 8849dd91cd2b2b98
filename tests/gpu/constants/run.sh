#!/usr/bin/env bash
# Measures what the constants of a simulated GPU come from: launches, memory, atomics and barriers, instructions.
#
#     tests/gpu/constants/run.sh OUT [NAME...]
#
# Each .cu here is a program of its own, which nvcc compiles for the GPU at hand: those named, or all. OUT gets a CSV of each: what was
# probed, its settings, the value and its unit. All take about three minutes on an H200.
set -euo pipefail
out=${1:?the folder to write}
shift
here=$(dirname "$0")
sources=()
for name in "$@"; do sources+=("$here/$name.cu"); done
if [[ $# -eq 0 ]]; then sources=("$here"/*.cu); fi
mkdir -p "$out"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for source in "${sources[@]}"; do
    name=$(basename "$source" .cu)
    nvcc -O3 -std=c++17 -arch=native -o "$folder/$name" "$source" &
done
wait
for source in "${sources[@]}"; do
    name=$(basename "$source" .cu)
    { echo "probe,settings,value,unit"; "$folder/$name"; } >"$out/$name.csv"
    echo "$name: $(($(wc -l <"$out/$name.csv") - 1)) rows"
done
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader >"$out/gpu.txt"
