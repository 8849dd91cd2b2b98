#!/usr/bin/env bash
# What empty places for warps and blocks cost on an NVIDIA GPU: the kernels of tests/kernels/filling.toml, measured.
#
#   tests/gpu/diagnosis/filling.sh OUT [APBENCH [DEVICE]]
#
# Writes the runs to OUT/blocks and OUT/shared and, where compute-sanitizer is there, what it says to OUT/sanitizer.txt.
# tests/gpu/diagnosis/filling.py OUT holds the predicted gains against them.
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
mkdir -p "$out"
rm -rf "$out/blocks" "$out/shared"
"$apbench" sweep tests/kernels/filling.toml --device "$device" --out "$out/blocks" -v
"$apbench" sweep tests/kernels/filling.toml --device "$device" --out "$out/shared" \
    --set blocks=1056,4224 --set shared_kib=0,24,32,48,100 -v
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        compute-sanitizer --tool "$tool" "$apbench" sweep tests/kernels/filling.toml --device "$device" \
            --out "$out/checked-$tool" --set blocks=264 --set count=1048576 --rounds 1 2>&1 | tail -3
        rm -rf "$out/checked-$tool"
    done >"$out/sanitizer.txt"
fi
