#!/usr/bin/env bash
# Kernels whose blocks wait for each other, or a few of whose blocks do far more than the others: what they take on a device. Simulated times leave out
# most of the first.
#
#   tests/gpu/blocks.sh OUT [APBENCH [DEVICE]]
#
# OUT/blocks.csv has a row for each point. Takes a minute on an H200.
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
mkdir -p "$out"
echo kernel,n,time_us >"$out/blocks.csv"
for scenario in tests/gpu/blocks/*.toml; do
    name=$(basename "$scenario" .toml)
    "$apbench" sweep "$scenario" --device "$device" --rounds 3 --quiet --out "$out/$name" || echo "$name: status $?" >&2
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(row["variant"], row["n"], row["time_us"], sep=",")' "$out/$name/points.csv" >>"$out/blocks.csv"
done
