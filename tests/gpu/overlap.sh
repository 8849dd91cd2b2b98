#!/usr/bin/env bash
# How much of its kernels' time the query in chunks on streams hides behind the copying of its columns.
#
#   tests/gpu/overlap.sh [APBENCH [DEVICE [SHARE]]]
#
# APBENCH is the program, target/release/apbench unless given; DEVICE is cuda:0 and SHARE 0.8 unless given. Runs the rung `streams` of
# select-sum with all rows selected, on one stream and on several, and prints the hidden share for each number of chunks. Only the last one's
# kernel has no copying beside it, and each but the last has seven eighths of the rows that are left; "before" is the share of the rows that
# come before the last chunk. Fails where the best one hides less than SHARE.
#
#   tests/gpu/overlap.sh RUN
#
# only reads a run that is there, such as results/nvidia-h200/select-sum-streams.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
least=${3:-0.8}
if [ -f "${1:-}/points.csv" ]; then
    run=$1
else
    apbench=${1:-target/release/apbench} device=${2:-cuda:0} run=$work/run
    "$apbench" sweep "$(dirname "$0")/../../scenarios/select-sum-streams.toml" --device "$device" --out "$run" >&2
fi

python3 - "$run/points.csv" "$least" <<'PYTHON'
import csv, sys
least = float(sys.argv[2])
shares = []
print(f"{'streams':>7} {'chunks':>6} {'total µs':>10} {'copying µs':>10} {'kernels µs':>10} {'hidden µs':>10} {'hidden':>7} {'before':>7}")
for point in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
    if point["variant"] != "streams":
        continue
    streams, chunks = int(point["streams"]), int(point["chunks"])
    if point["status"] != "ok":
        sys.exit(f"{streams} streams, {chunks} chunks: {point['status']}: {point['reason']}")
    total, copying, kernels, hidden = (float(point[name] or "nan") for name in ("total_us", "transfer_in_us", "kernel_us", "kernel_hidden_us"))
    shares.append((hidden / kernels, streams, chunks))
    print(f"{streams:7} {chunks:6} {total:10.1f} {copying:10.1f} {kernels:10.1f} {hidden:10.1f} {hidden / kernels:7.3f} {1 - max(8.0 ** (1 - chunks), 1 / 256):7.3f}")
if not shares:
    sys.exit("the run has no points of the variant streams")
share, streams, chunks = max(shares)
print(f"At best, on {streams} streams with {chunks} chunks, {100 * share:.1f} % of the kernels' time is hidden; at least {100 * least:.0f} % are asked for.")
sys.exit(0 if share >= least else 1)
PYTHON
