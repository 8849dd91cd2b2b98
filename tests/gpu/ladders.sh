#!/usr/bin/env bash
# What the families of constants need of a GPU: outputs verified, the four checks of compute-sanitizer, runs, and counters of the hardware.
#
#   tests/gpu/ladders.sh OUT [APBENCH]
#
# OUT gets runs/, checks/, counters/ and order/; OUT/counters is for tests/gpu/counters-compared.py compare.
set -uo pipefail
out=$1
apbench=${2:-target/release/apbench}
mkdir -p "$out"
export APBENCH=$apbench

tests/gpu/check.sh "$apbench" "$out/checks" atomic_rate launch_rate block_start

# Loads in order beside those in random order: what device memory takes where the next line is in the row that is open.
"$apbench" sweep scenarios/memory-latency.toml --device cuda:0 --variant global_past_l1 --set ordering=sequential,random \
    --set set_bytes=268435456,1073741824 --out "$out/order" >"$out/order.log" 2>&1
tail -n 3 "$out/order.log"
SWEEP_OPTIONS="--budget 0.25" tests/gpu/reference-runs.sh "$out/runs" "$apbench" l2-slices address-translation shared-bandwidth launch-rate atomic-rate
SWEEP_OPTIONS="--budget 0.25" tests/gpu/reference-runs.sh "$out/runs" "$apbench" memory-bandwidth instruction-latency instruction-rate block-start wait-cost memory-latency
python3 tests/gpu/counters-compared.py hardware "$out/counters" shared-bandwidth atomic-rate launch-rate block-start memory-latency
