#!/usr/bin/env bash
# What two builds of the program make of every committed run: fits.csv, charts and report.html must be the same, byte for byte.
#
# Usage: tests/same-outputs.sh BEFORE AFTER [RUNS]      two programs, and a folder with runs (default: results)
set -euo pipefail
before=$(realpath "$1") after=$(realpath "$2")
cd "$(dirname "$0")/.."
runs=$(realpath "${3:-results}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

for name in before after; do
    while IFS= read -r metadata; do
        run=${metadata#"$runs"/}
        run=${run%/run.json}
        mkdir -p "$out/$name/$run"
        cp -r "$runs/$run/." "$out/$name/$run/"
        rm -rf "$out/$name/$run/charts" "$out/$name/$run/fits.csv" "$out/$name/$run/report.html"
        for command in fit plot report; do
            (cd "$out/$name" && "${!name}" "$command" "$run" >"$run/$command.txt" 2>&1) || echo "status $?" >>"$out/$name/$run/$command.txt"
        done
    done < <(find "$runs" -name run.json | sort)
done

different=$(diff -rq "$out/before" "$out/after" || true)
count=$(find "$out/before" -name run.json | wc -l)
if [ -n "$different" ]; then
    sed "s#$out/before/##; s#$out/after/##" <<<"$different"
    echo "$count runs: $(grep -c . <<<"$different") files differ"
    exit 1
fi
echo "$count runs: fits.csv, charts and report.html are the same"
