#!/usr/bin/env bash
# What verification's small sizes do not reach, under the four tools of compute-sanitizer: blocks that take tile after tile.
#
#   tests/gpu/sanitize-large.sh OUT [APBENCH]
#
# Scans and histograms of 16,500,001 words, which are up to 21 and 4 tiles a block on an H200, and the sorted histogram of 3,000,001, which are 12. Each output is verified, as in every sweep.
# OUT gets a log of each tool.
set -uo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench}
mkdir -p "$out"
failures=0
# check TOOL NAME FAMILY ELEMENTS VARIANT...
check() {
    local tool=$1 name=$2-$1 family=$3 elements=$4 variants=() scratch started=$SECONDS
    shift 4
    for variant in "$@"; do variants+=(--variant "$variant"); done
    scratch=$(mktemp -d)
    timeout 240 compute-sanitizer --tool "$tool" --error-exitcode 9 "$apbench" sweep "$family" --device cuda:0 --set "elements=$elements" "${variants[@]}" \
        --budget 0.001 --out "$scratch/run" >"$out/$name.log" 2>&1
    local status=$?
    rm -rf "$scratch"
    printf '%-26s status %d, %d s: %s\n' "$name" "$status" "$((SECONDS - started))" "$(tail -n 1 "$out/$name.log")"
    [ "$status" -eq 0 ] || failures=$((failures + 1))
}
for tool in memcheck racecheck synccheck initcheck; do
    check "$tool" prefix-sum prefix-sum 16500001 single_pass resident_blocks bulk_copies specialised_warps
    check "$tool" histogram histogram 16500001 global_atomics shared_atomics vectorised warp_copies lane_copies warp_aggregated
    check "$tool" histogram-sorted histogram 3000001 sorted
done
echo "$failures checks failed; logs in $out"
[ "$failures" -eq 0 ]
