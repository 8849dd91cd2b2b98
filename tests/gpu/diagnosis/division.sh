#!/usr/bin/env bash
# What remainders by a variable cost a tree of sums on an NVIDIA GPU: the kernels of tests/kernels/reduction.toml, measured.
#
#   tests/gpu/diagnosis/division.sh OUT [APBENCH [DEVICE]]
#
# Writes the run to OUT/division and, where compute-sanitizer is there, what it says of each kernel to OUT/sanitizer.txt.
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
mkdir -p "$out"
rm -rf "$out/division"
"$apbench" sweep tests/kernels/reduction.toml --device "$device" --out "$out/division" \
    --set n=262144,1048576,4194304,16777216 -v
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        compute-sanitizer --tool "$tool" "$apbench" sweep tests/kernels/reduction.toml --device "$device" --out "$out/checked-$tool" \
            --set n=262144 --rounds 1 2>&1 | tail -3
        rm -rf "$out/checked-$tool"
    done >"$out/sanitizer.txt"
fi
