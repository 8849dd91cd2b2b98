#!/usr/bin/env python3
"""Sorts the points that differ between two measurements of the reference runs by reason, by the rules below.

    tests/gpu/again-reasons.py [results/nvidia-h200/again-points.csv]

Prints the counts and the ratios (new / earlier) that results/nvidia-h200/README.md gives.
"""

import csv
import sys

# Those of patterns that no reason below touches, as the README groups them.
QUIET = """
    bank-conflicts block-size-1d block-size-2d block-size-square block-sync branching branching-remedies branching-unequal
    branching-weighted elements-per-thread global-stride occupancy partition-camping shared-access stencil-halo sum-reordering
""".split()


def is_host(row):
    return row["variant"] in ("serial", "multi_threaded")


def has_transfers(row):
    return row["scenario"] in ("reduction-1g", "select-sum", "select-sum-streams")


def is_transposition(row):
    return row["scenario"].startswith("transpose")


def is_short(row):
    return row["base_us"] < 30


def is_relaunch(row):
    return (row["scenario"], row["variant"]) == ("synchronisation-cost", "relaunch")


# In their order: a point has the first reason whose rule holds. The earlier run's time decides what is short.
REASONS = [
    ("the host's own: variants `serial` and `multi_threaded`", is_host),
    ("with transfers: `reduction-1g`, `select-sum`, `select-sum-streams`", has_transfers),
    ("transpositions: `transpose`, `transpose-rows`", is_transposition),
    ("other kernels of less than 30 µs", is_short),
    ("`relaunch` of `synchronisation-cost`", is_relaunch),
    ("`atomics`", lambda row: row["scenario"] == "atomics"),
    ("others", lambda row: True),
]


def spread(rows):
    ratios = sorted(row["ratio"] for row in rows)
    return f"{ratios[0]:.3f} to {ratios[-1]:.3f}, median {ratios[len(ratios) // 2]:.3f}" if ratios else "none"


def main(file):
    with open(file, newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    timed = [row for row in rows if row["ratio"]]
    for row in timed:
        row.update({name: float(row[name]) for name in ("base_us", "other_us", "ratio")})

    def of(runs, *rules):
        return [row for row in timed if row["runs"] == runs and all(rule(row) for rule in rules)]

    def is_other(row):
        return row["verdict"] != "SAME"

    every, others = of("again"), of("again", is_other)
    print(f"{len(every) - len(others)} of {len(every)} points are SAME, {len(others)} are not:")
    for name, rule in REASONS:
        own = [row for row in others if rule(row)]
        others = [row for row in others if not rule(row)]
        print(f"{len(own):5}  {name}: {spread(own)}, the longest {max(row['base_us'] for row in own):.0f} µs")

    quiet = of("again", lambda row: row["scenario"] in QUIET)
    print(f"of {len(quiet)} in the quiet scenarios, {sum(map(is_other, quiet))} are not SAME")

    def at_least(us):
        return lambda row: row["base_us"] >= us

    long = of("again", is_transposition, at_least(20))
    print(f"transpositions from 20 µs on: {len(long)}, {sum(map(is_other, long))} not SAME: {spread(long)}")
    for us in (20, 30):
        long = of("control", is_transposition, at_least(us))
        print(f"    on one GPU from {us} µs on: {len(long)}, {sum(map(is_other, long))} not SAME: {spread(long)}")
    warps = of("control", at_least(30), lambda row: row["variant"] == "warp_aggregated")
    print(f"`warp_aggregated` of `atomics` on one GPU from 30 µs on: {len(warps)}, {sum(map(is_other, warps))} not SAME: {spread(warps)}")
    for runs in ("again", "mended"):
        serial = of(runs, lambda row: (row["scenario"], row["variant"]) == ("prefix-sum", "serial"))
        print(f"the prefix sum's `serial`, {runs}: {spread(serial)}")
    print("without a time in one of the runs:")
    for row in rows:
        if row["runs"] == "again" and not row["ratio"]:
            print(f"    {row['scenario']} {row['variant']} {row['parameters']}: {row['verdict']}")


if __name__ == "__main__":
    if len(sys.argv) > 2 or any(word.startswith("-") for word in sys.argv[1:]):
        sys.exit(__doc__.strip())
    main((sys.argv[1:] or ["results/nvidia-h200/again-points.csv"])[0])
