#!/usr/bin/env bash
# Measures scenarios again and compares each with a run of earlier: are they the same?
#
#   tests/gpu/again.sh OUT BASE [APBENCH [SCENARIO...]]
#
# OUT/SCENARIO is the new run, BASE/SCENARIO the earlier one, as of tests/gpu/reference-runs.sh; results/nvidia-h200 is one such BASE.
# Without a SCENARIO, all of scenarios/ are measured. Writes OUT/SCENARIO.csv, the comparison, and OUT/verdicts.txt: for each scenario
# how many points have which verdict, and the ratios of the times (new / earlier). Fails where a sweep fails.
set -uo pipefail
out=${1:?the folder to write} base=${2:?the folder of the earlier runs} apbench=${3:-target/release/apbench}
shift $(($# < 3 ? $# : 3))
scenarios=("$@")
[ ${#scenarios[@]} -gt 0 ] || for file in scenarios/*.toml; do scenarios+=("$(basename "$file" .toml)"); done

status=0
for scenario in "${scenarios[@]}"; do
    tests/gpu/reference-runs.sh "$out" "$apbench" "$scenario" | head -n 1
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
    "$apbench" compare "$base/$scenario" "$out/$scenario" --csv >"$out/$scenario.csv"
    rm -rf "${out:?}/$scenario/charts"
done
python3 - "$out" "${scenarios[@]}" <<'PYTHON' | tee "$out/verdicts.txt"
import collections, csv, sys

out, every = sys.argv[1], collections.Counter()
for scenario in sys.argv[2:]:
    rows = [row for row in csv.DictReader(open(f"{out}/{scenario}.csv")) if row["standing"] == "COMPARED"]
    verdicts = collections.Counter(row["verdict"] for row in rows)
    every += verdicts
    ratios = sorted(float(row["ratio"]) for row in rows)
    spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}, median {ratios[len(ratios) // 2]:.4f}" if ratios else "no point in common"
    print(f"{scenario:20} {len(rows):4} points, ratios {spread}: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
print(f"all: {sum(every.values())} points: " + ", ".join(f"{n} {verdict}" for verdict, n in every.most_common()))
PYTHON
exit "$status"
