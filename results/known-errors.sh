#!/bin/sh
# Writes results/known-errors.csv from the committed runs: how far simulated times are off, by GPU profile and family.
#
#     results/known-errors.sh [APBENCH]
#
# Build apbench again afterwards, since the file is part of it, and write the reference pages: cargo run --release -- reference
set -eu
apbench=${1:-target/release/apbench}
results=$(dirname "$0")
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$apbench" compare \
    "$results/nvidia-h200/at-simulated-sizes" "$results/simulated-h200/at-simulated-sizes" \
    "$results/nvidia-h200" "$results/simulated-h200/at-gpu-sizes" \
    "$results/nvidia-h200" "$results/simulated-h200/at-gpu-sizes-with-transfers" \
    "$results/nvidia-h200/at-other-sizes" "$results/simulated-h200/at-other-sizes" \
    "$results/nvidia-h200" "$results/simulated-h200/constants-at-gpu-sizes" \
    "$results/nvidia-h200/constants-at-simulated-sizes" "$results/simulated-h200/constants-at-simulated-sizes" \
    "$results/nvidia-h200/later-at-simulated-sizes" "$results/simulated-h200/later-at-simulated-sizes" \
    "$results/nvidia-h200" "$results/simulated-h200/later-at-gpu-sizes" \
    --accuracy --by-family --csv > "$new"
cat "$new" > "$results/known-errors.csv"
