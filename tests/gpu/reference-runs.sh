#!/usr/bin/env bash
# Measures the scenarios of the reference runs into OUT, without their samples.
#
#   tests/gpu/reference-runs.sh OUT [APBENCH]
set -uo pipefail
out=$1
apbench=${2:-target/release/apbench}
failures=0
for scenario in branching branching-unequal branching-weighted; do
    "$apbench" sweep "scenarios/$scenario.toml" --device cuda:0 --out "$out/$scenario" || failures=$((failures + 1))
    rm -f "$out/$scenario/samples.csv"
done
exit "$((failures > 0))"
