#!/usr/bin/env bash
# What needs an NVIDIA GPU and its tools: outputs verified, and no invalid access or race while they are.
#
#   tests/gpu/check.sh [APBENCH [OUT [FAMILY...]]]
#
# APBENCH is the program, target/release/apbench unless given; logs go to OUT, a temporary folder unless given; all families are
# verified unless some are named.
set -uo pipefail
apbench=${1:-target/release/apbench}
out=${2:-$(mktemp -d)}
mkdir -p "$out"
shift $(($# < 2 ? $# : 2))
only=()
for family in "$@"; do
    only+=(--family "$family")
done
failures=0

check() {
    local name=$1
    shift
    local started=$SECONDS
    "$@" >"$out/$name.log" 2>&1
    local status=$?
    printf '%-10s status %d, %d s: %s\n' "$name" "$status" "$((SECONDS - started))" "$(tail -n 1 "$out/$name.log")"
    [ "$status" -eq 0 ] || failures=$((failures + 1))
}

check devices "$apbench" devices --json
check verify "$apbench" verify --device cuda:0 "${only[@]}"
for tool in memcheck racecheck synccheck initcheck; do
    check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 "$apbench" verify --device cuda:0 "${only[@]}"
done
echo "$failures checks failed; logs in $out"
[ "$failures" -eq 0 ]
