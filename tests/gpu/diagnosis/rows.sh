#!/usr/bin/env bash
# Rows that a thread each goes through, against a thread for each element (`tests/kernels/scaled_rows.toml`): what the GPU gains by the remedy that a
# diagnosis prices, and whether the kernels access what they may.
#
#   tests/gpu/diagnosis/rows.sh OUT [APBENCH [DEVICE]]
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
"$apbench" sweep tests/kernels/scaled_rows.toml --device "$device" --out "$out/rows"
"$apbench" sweep tests/kernels/spin_lock.toml --device "$device" --out "$out/spin-lock"
for scenario in scaled_rows spin_lock; do
    compute-sanitizer --tool memcheck "$apbench" verify "tests/kernels/$scenario.toml" --device "$device" 2>&1 | tail -n 4
done
