#!/bin/sh
# Times sweeps of scenarios on the simulated H200, one after another, and prints a CSV: points, seconds, and the computer's hardware threads.
#
#     results/simulated-seconds.sh SCENARIO... > results/simulated-h200/seconds.csv
#
# Run it in the repository's folder, on a computer that does nothing else. APBENCH is target/release/apbench unless given in the environment.
# tests/gpu/reference-runs.sh makes each sweep; what it prints are whole seconds, and no CSV.
set -eu
apbench=${APBENCH:-target/release/apbench}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "scenario,points,seconds,hardware_threads"
for scenario in "$@"; do
    begun=$(date +%s.%N)
    DEVICE=sim:h200 tests/gpu/reference-runs.sh "$folder" "$apbench" "$scenario" >"$folder/log" || {
        cat "$folder/log" >&2
        exit 1
    }
    ended=$(date +%s.%N)
    points=$(($(wc -l <"$folder/$scenario/points.csv") - 1))
    echo "$scenario $points $begun $ended $(nproc)" | awk '{ printf "%s,%d,%.1f,%d\n", $1, $2, $4 - $3, $5 }'
done
