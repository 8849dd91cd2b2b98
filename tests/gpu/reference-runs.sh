#!/usr/bin/env bash
# Measures every scenario into OUT/SCENARIO, without the samples, and tells how many seconds each took (results/simulated-seconds.sh: as CSV).
#
#   tests/gpu/reference-runs.sh OUT [APBENCH [SCENARIO...]]
#
# SCENARIO is a name such as branching; without one, all of scenarios/ are measured. SWEEP_OPTIONS="--sizes simulated" in the
# environment measures them at the sizes of simulated devices; DEVICE is cuda:0 unless given.
set -uo pipefail
out=$1
apbench=${2:-target/release/apbench}
shift $(($# < 2 ? $# : 2))
scenarios=("$@")
if [ ${#scenarios[@]} -eq 0 ]; then
    for file in scenarios/*.toml; do
        scenarios+=("$(basename "$file" .toml)")
    done
fi
failures=0
started=$SECONDS
logs=$(mktemp -d)
mkdir -p "$out"
for scenario in "${scenarios[@]}"; do
    begun=$SECONDS
    "$apbench" sweep "scenarios/$scenario.toml" --device "${DEVICE:-cuda:0}" ${SWEEP_OPTIONS-} --out "$out/$scenario" >"$logs/$scenario.log" 2>&1
    status=$?
    [ "$status" -eq 0 ] || failures=$((failures + 1))
    printf '%-20s status %d, %3d s, %s\n' "$scenario" "$status" "$((SECONDS - begun))" \
        "$(grep -m 1 ' points' "$logs/$scenario.log")"
    rm -f "$out/$scenario/samples.csv" "$out/$scenario/report.html"
done
echo "${#scenarios[@]} scenarios in $((SECONDS - started)) s, $failures failed; logs in $logs"
exit "$((failures > 0))"
