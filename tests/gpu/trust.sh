#!/usr/bin/env bash
# How far measurements can be trusted, on an NVIDIA GPU: what results/nvidia-h200/trust holds.
#
#   tests/gpu/trust.sh OUT [APBENCH [WHEELS]]
#
# Writes OUT/selfcheck.json, OUT/selfcheck.txt, OUT/time-spent.csv, and what tests/gpu/nvbench/compare.sh writes (which needs Python with
# cuda.bench, or its wheels in WHEELS). It takes about five minutes.
set -uo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} wheels=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
failures=0
"$apbench" selfcheck --device cuda:0 --pairs 200 --out "$out/selfcheck.json" |
    grep -v "^noise floor kept" | tee "$out/selfcheck.txt" || failures=1

# What share of a sweep's time goes into anything but sampling, warming up and evicting data, opening the device aside.
echo "scenario,width,points,total_s,opening_s,building_s,loading_s,checking_s,warming_s,sampling_s,writing_s,outside_pct" >"$out/time-spent.csv"
for width in 4096 2048 1024; do
    run=$(mktemp -d)
    "$apbench" sweep scenarios/branching.toml --device cuda:0 --set "width=$width" --out "$run" >"$out/time-spent-$width.log" || failures=1
    python3 - "$run/run.json" "$width" >>"$out/time-spent.csv" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))
spent = run["time_spent"]
names = ["total", "opening", "building", "loading", "checking", "warming", "sampling", "writing"]
whole = spent["total_s"] - spent["opening_s"]
outside_pct = 100 * (1 - (spent["warming_s"] + spent["sampling_s"]) / whole)
print("branching", sys.argv[2], run["points"], *[f"{spent[name + '_s']:.3f}" for name in names], f"{outside_pct:.2f}", sep=",")
PYTHON
    rm -rf "$run" "$out/time-spent-$width.log"
done
cat "$out/time-spent.csv"
"$here/nvbench/compare.sh" "$apbench" "$out/nvbench" "$wheels" || failures=1
exit "$failures"
