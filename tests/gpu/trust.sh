#!/usr/bin/env bash
# How far measurements can be trusted, on an NVIDIA GPU: what results/nvidia-h200/trust holds.
#
#   tests/gpu/trust.sh OUT [APBENCH [WHEELS]]
#
# Writes selfcheck.json, selfcheck.txt, time-spent.csv, and the tables of tests/gpu/nvbench/compare.sh (which needs Python
# with cuda.bench, or its wheels in WHEELS) to OUT. It takes about six minutes, and fails where something that must hold does not.
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
nvbench=$(mktemp -d)
"$here/nvbench/compare.sh" "$apbench" "$nvbench" "$wheels" || failures=1
cp "$nvbench"/{agreement,walltime,steps}.csv "$out" || failures=1
rm -rf "$nvbench"

# What must hold. Each line that does not is printed.
python3 - "$out" <<'PYTHON' || failures=1
import csv, json, sys
out = sys.argv[1]
table = lambda name: list(csv.DictReader(open(f"{out}/{name}.csv")))
check = json.load(open(f"{out}/selfcheck.json"))
wrong = []
if check["false_verdicts"]: wrong.append(f"{check['false_verdicts']} false verdicts")
if check["found"] < 0.95 * len(check["longer"]): wrong.append(f"found {check['found']} of {len(check['longer'])}")
wrong += [f"width {row['width']}: {row['outside_pct']} % outside sampling, more than 2" for row in table("time-spent") if float(row["outside_pct"]) > 2]
wrong += [f"{row['kind']}: {row['apbench_of_nvbench']} of NVBench's wall time" for row in table("walltime") if float(row["apbench_of_nvbench"]) > 0.5]
wrong += [f"{row['kind']} {row['point']}: {row['difference_pct']} % from NVBench" for row in table("agreement") if row["agrees"] == "NO"]
print("\n".join("MISSED " + line for line in wrong) or "everything that must hold holds")
sys.exit(bool(wrong))
PYTHON
exit "$failures"
