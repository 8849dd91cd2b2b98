#!/usr/bin/env bash
# How often `apbench compare` errs between processes, on an NVIDIA GPU: what results/nvidia-h200/trust/compare holds.
#
#   tests/gpu/compare.sh OUT [APBENCH [DEVICE]]
#
# Sweeps 224 points twice, then with 65 and with 66 instead of 64 steps of work (1.6 and 3.1 % more), each by a process of its own, and
# compares: the first two with each other, which differ in nothing, and the others with the first. Writes the four runs, without their samples
# and charts, the comparisons and counts.txt to OUT. It takes about five minutes, and fails where a verdict is false, or fewer than 95 of 100
# differences of 3.1 % are found; of 1.6 % it tells how many are found.
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
mkdir -p "$out"

sweep() {
    local name=$1 work=$2
    rm -rf "${out:?}/$name"
    "$apbench" sweep scenarios/branching.toml --device "$device" --out "$out/$name" --set operation=compute \
        --set block=32,64,96,128,192,256,512 --set width=1024 --set "work=$work" >"$out/$name.log"
    rm -rf "${out:?}/$name/"{samples.csv,charts,report.html} "$out/$name.log"
}

sweep first 64
sweep second 64
sweep little 65
sweep longer 66
"$apbench" compare "$out/first" "$out/second" --csv >"$out/same.csv"
"$apbench" compare "$out/first" "$out/little" --ignore work --csv >"$out/little.csv"
"$apbench" compare "$out/first" "$out/longer" --ignore work --csv >"$out/longer.csv"

# The gate of continuous integration: open for the same, crossed by what is longer.
status=0
"$apbench" compare "$out/first" "$out/second" --fail-on different >/dev/null || status=$?
gate_same=$status status=0
"$apbench" compare "$out/first" "$out/longer" --ignore work --fail-on slower >/dev/null 2>&1 || status=$?
gate_longer=$status

python3 - "$out" "$gate_same" "$gate_longer" <<'PYTHON' | tee "$out/counts.txt"
import collections, csv, math, sys

out, gate_same, gate_longer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def rows(name):
    return [row for row in csv.DictReader(open(f"{out}/{name}.csv")) if row["standing"] == "COMPARED"]


def told(name, rows):
    verdicts = collections.Counter(row["verdict"] for row in rows)
    ratios = sorted(100 * (float(row["ratio"]) - 1) for row in rows)
    middle = ratios[len(ratios) // 2]
    print(f"{name}: {len(rows)} points, " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    print(f"    ratios {ratios[0]:+.3f} to {ratios[-1]:+.3f} %, median {middle:+.3f} %")
    return verdicts


same, little, longer = rows("same"), rows("little"), rows("longer")
of_same = told("the same work twice", same)
of_little = told("1.6 % more work", little)
of_longer = told("3.1 % more work", longer)
print(f"--fail-on different between the first two: status {gate_same}; --fail-on slower for more work: status {gate_longer}")
wrong = []
if len(same) < 200 or len(longer) < 200:
    wrong.append("fewer than 200 points were compared")
if of_same["SLOWER"] + of_same["FASTER"] + of_little["FASTER"] + of_longer["FASTER"]:
    wrong.append("a false verdict")
if of_longer["SLOWER"] < 0.95 * len(longer):
    wrong.append(f"found {of_longer['SLOWER']} of {len(longer)}")
if gate_same != 0 or gate_longer != 5:
    wrong.append("the gate")
print("\n".join("MISSED: " + line for line in wrong) or "no false verdict, and the difference is found")
sys.exit(bool(wrong))
PYTHON
