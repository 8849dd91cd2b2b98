#!/usr/bin/env bash
# Energies of launches on a GPU, three times, and how far they repeat:
#
#     tests/gpu/energy/run.sh OUT [APBENCH]
#
# Sweeps energy-of-branching and energy-of-data three times each into OUT, 18 points of eight to ten seconds each time, and holds the runs
# against each other with compare.py beside it, whose table is printed and kept as OUT/energy.csv. Needs a GPU from Volta on that nobody else uses,
# and python3; takes eight to nine minutes. Changes no setting of the GPU.
set -euo pipefail
out=${1:?usage: tests/gpu/energy/run.sh OUT [APBENCH]}
apbench=${2:-${APBENCH:-target/release/apbench}}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
mkdir -p "$out"

for round in 1 2 3; do
    for scenario in energy-of-branching energy-of-data; do
        "$apbench" sweep "$root/scenarios/$scenario.toml" --device cuda:0 --budget 0.5 --out "$out/$scenario-$round"
    done
done
python3 "$here/compare.py" "$out" | tee "$out/energy.csv"
