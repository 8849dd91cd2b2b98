#!/usr/bin/env bash
# How much of its kernels' time the query in chunks on streams hides behind the copying of its columns.
#
#   tests/gpu/overlap.sh [APBENCH [DEVICE [SHARE]]]
#
# APBENCH is the program, target/release/apbench unless given; DEVICE is cuda:0 and SHARE 0.8 unless given. Runs the rung `streams` of
# select-sum with all rows selected, on one stream and on several, and prints for each number of chunks what is left of the kernel that no copying
# is beside, as the hidden share of what the kernel takes in one piece: kernels in chunks take longer in all, since each has to start. Fails where
# less than SHARE is hidden, or only at the price of a longer total.
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
points = []
print(f"{'threshold':>9} {'streams':>7} {'chunks':>6} {'total µs':>10} {'copying µs':>10} {'kernels µs':>10} {'hidden µs':>10} {'hidden':>7}")
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
for point in rows:
    if point["variant"] != "streams":
        continue
    streams, chunks = int(point["streams"]), int(point["chunks"])
    if point["status"] != "ok":
        sys.exit(f"{streams} streams, {chunks} chunks: {point['status']}: {point['reason']}")
    total, copying, kernels, hidden = (float(point[name] or "nan") for name in ("total_us", "transfer_in_us", "kernel_us", "kernel_hidden_us"))
    points.append((point["threshold"], streams, chunks, total, copying, kernels, hidden))
if not points:
    sys.exit("the run has no points of the variant streams")
# What the kernel takes in one piece: by itself on one stream, or in the rung that copies first.
def is_whole(point):
    alone = point["variant"] == "streams" and (point["streams"], point["chunks"]) == ("1", "1")
    return alone or point["variant"] == "pinned_memory"
whole = {point["threshold"]: (float(point["total_us"]), float(point["kernel_us"])) for point in rows if is_whole(point)}
best = (0.0, 0, 0, 0.0, 0.0)
for threshold, streams, chunks, total, copying, kernels, hidden in points:
    if threshold not in whole:
        sys.exit(f"the run has no point with the kernel in one piece at a threshold of {threshold}")
    whole_total, whole_kernel = whole[threshold]
    share = 1 - (kernels - hidden) / whole_kernel
    print(f"{threshold:>9} {streams:7} {chunks:6} {total:10.1f} {copying:10.1f} {kernels:10.1f} {hidden:10.1f} {share:7.3f}")
    if total <= 1.01 * whole_total:
        best = max(best, (share, streams, chunks, whole_total, whole_kernel))
share, streams, chunks, whole_total, whole_kernel = best
print(f"In one piece the kernel takes {whole_kernel:.1f} of {whole_total:.1f} µs. At best, of those that take at most 1 % longer than that, "
      f"{100 * share:.1f} % of it is hidden, on {streams} streams with {chunks} chunks; at least {100 * least:.0f} % are asked for.")
sys.exit(0 if share >= least else 1)
PYTHON
