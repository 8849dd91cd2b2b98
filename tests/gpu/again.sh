#!/usr/bin/env bash
# Measures scenarios again and compares each with a run of earlier: are they the same?
#
#   tests/gpu/again.sh OUT BASE [APBENCH [SCENARIO...]]
#
# OUT/SCENARIO is the new run, BASE/SCENARIO the earlier one, as of tests/gpu/reference-runs.sh; results/nvidia-h200 is one such BASE.
# Without a SCENARIO, all of scenarios/ are measured. Writes OUT/SCENARIO.csv, the comparison, and OUT/verdicts.txt: for each scenario
# how many points have which verdict, and the ratios of the times (new / earlier), and every point that could not be compared. Fails
# where a sweep or a comparison fails, and where a point of a new run is not ok; one that both runs skip is listed only.
set -uo pipefail
out=${1:?the folder to write} base=${2:?the folder of the earlier runs} apbench=${3:-target/release/apbench}
shift $(($# < 3 ? $# : 3))
scenarios=("$@")
[ ${#scenarios[@]} -gt 0 ] || for file in scenarios/*.toml; do scenarios+=("$(basename "$file" .toml)"); done

status=0
for scenario in "${scenarios[@]}"; do
    tests/gpu/reference-runs.sh "$out" "$apbench" "$scenario" | sed -n 1p
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
    "$apbench" compare "$base/$scenario" "$out/$scenario" --csv >"$out/$scenario.csv" || status=1
    rm -rf "${out:?}/$scenario/charts"
done
tests/gpu/again.py verdicts "$out" "${scenarios[@]}" | tee "$out/verdicts.txt"
[ "${PIPESTATUS[0]}" -eq 0 ] || status=1
exit "$status"
