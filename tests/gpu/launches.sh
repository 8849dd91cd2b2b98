#!/usr/bin/env bash
# Launches and starts of blocks on a GPU: outputs verified, no invalid access or race while they are, then the scenarios.
#
#     tests/gpu/launches.sh OUT [APBENCH]
#
# APBENCH is the program, target/release/apbench unless given. OUT gets a log of each check and the runs OUT/launch-rate,
# OUT/launch-overlap, OUT/launch-overlap-blocks and
# OUT/block-start. The checks with compute-sanitizer fail where there is none. A check that is not done
# after two minutes fails.
set -uo pipefail
out=${1:?a folder for logs and runs}
apbench=${2:-target/release/apbench}
mkdir -p "$out"
failures=0

check() {
    local name=$1
    shift
    local started=$SECONDS
    timeout 120 "$@" >"$out/$name.log" 2>&1
    local status=$?
    printf '%-12s status %d, %d s: %s\n' "$name" "$status" "$((SECONDS - started))" "$(tail -n 1 "$out/$name.log")"
    [ "$status" -eq 0 ] || failures=$((failures + 1))
}

families=(--family launch_rate --family launch_overlap --family block_start)
check verify "$apbench" verify --device cuda:0 "${families[@]}"
for tool in memcheck racecheck synccheck initcheck; do
    check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 "$apbench" verify --device cuda:0 "${families[@]}"
done
for scenario in launch-rate launch-overlap launch-overlap-blocks block-start; do
    check "$scenario" "$apbench" sweep "$scenario" --device cuda:0 --out "$out/$scenario"
done
echo "$failures checks failed; logs and runs in $out"
[ "$failures" -eq 0 ]
