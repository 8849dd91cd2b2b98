#!/usr/bin/env python3
"""Holds the gains that `apbench diagnose` predicts against those that were measured on a GPU.

    python3 tests/gpu/diagnosis/pairs.py PROGRAM MEASURED OUT.csv [SCENARIO...]

PROGRAM is apbench, MEASURED a folder of runs such as results/nvidia-h200. A pair is a variant with a pattern and the variant that only differs
in having it no more. The predicted gain is the simulated time of the first over its simulated time without the pattern on any line; the measured
gain is the measured time of the first over that of the second, at the same parameters. Needs no GPU: the measured times are those of the runs.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path
from math import ceil
from statistics import median

# Scenario, variant with the pattern, remedy, pattern, which parameters' values are taken (all where a list is missing), and what the
# remedy has otherwise.
PAIRS = [
    ("transpose", "naive", "shared_padded", "uncoalesced", {"width": ["1024", "2048", "4096", "8160", "8192"]}, {}),
    ("transpose", "naive", "shared_swizzled", "uncoalesced", {"width": ["4128", "6144"]}, {}),
    ("transpose", "shared", "shared_padded", "bank_conflicts", {"width": ["1024", "2048", "4096", "8160", "8192"]}, {}),
    ("data-layout", "array_of_structures", "structure_of_arrays", "uncoalesced", {"fields": ["2", "3", "4", "5", "6", "7", "8"]}, {}),
    ("data-layout", "staged_through_shared", "staged_padded", "bank_conflicts", {"fields": ["2", "4", "6", "8"]}, {}),
    ("bank-conflicts", "strided", "padded", "bank_conflicts", {"stride": ["2", "4", "6", "8", "16", "24", "32"], "word_bytes": ["4"]}, {}),
    ("bank-conflicts", "strided", "padded", "bank_conflicts", {"stride": ["4", "8", "16", "32"], "word_bytes": ["8", "16"]}, {}),
    ("shared-access", "read_conflicted_write_unconflicted", "read_unconflicted_write_unconflicted", "bank_conflicts", {"repetitions": ["25", "100", "400"]}, {}),
    ("shared-access", "read_unconflicted_write_conflicted", "read_unconflicted_write_unconflicted", "bank_conflicts", {"repetitions": ["25", "100", "400"]}, {}),
    ("shared-access", "read_conflicted_write_conflicted", "read_unconflicted_write_unconflicted", "bank_conflicts", {"repetitions": ["25", "100", "400"]}, {}),
    ("global-access", "read_uncoalesced_write_coalesced", "read_coalesced_write_coalesced", "uncoalesced", {"width": ["1040", "2080", "3120", "7280"]}, {}),
    ("global-access", "read_coalesced_write_uncoalesced", "read_coalesced_write_coalesced", "uncoalesced", {"width": ["1040", "2080", "3120", "7280"]}, {}),
    ("global-access", "read_uncoalesced_write_uncoalesced", "read_coalesced_write_coalesced", "uncoalesced", {"width": ["1040", "2080", "3120", "7280"]}, {}),
    ("global-stride", "strided", "strided", "uncoalesced", {"stride": ["2", "3", "4", "8", "16", "32", "64"]}, {"stride": "1"}),
    ("block-sync", "barrier", "none", "barrier_wait", {"interval": ["1", "2", "5", "20", "100"]}, {}),
    ("branching", "divergent", "divergent", "divergence", {"branches": ["2", "4", "8", "16", "32"]}, {"branches": "1"}),
    ("branching-remedies", "divergent", "static_reordering", "divergence_sorted_within_blocks", {"branches": ["2", "3", "4", "6", "8", "12", "16", "24", "32"]}, {}),
    ("sum-reordering", "scattered_threads", "leading_threads", "divergence", {}, {}),
    ("reduction", "shared_divergent", "shared_strided", "division", {}, {}),
    ("reduction", "shared_strided", "shared_sequential", "bank_conflicts", {}, {}),
    ("prefix-sum", "shifts", "no_bank_conflicts", "bank_conflicts", {}, {}),
    ("prefix-sum", "shared_memory", "static_thread_reordering", "division", {}, {}),
    ("atomics", "global", "warp_aggregated", "atomics_aggregated_within_warps", {"addresses": ["1", "32", "1024"]}, {}),
    ("trapezoid", "atomic_add", "warp_shuffle", "atomics_aggregated_within_warps", {}, {}),
    ("trapezoid", "atomic_add", "two_launches", "atomic_contention", {}, {}),
]
# Points of a pair at most, spread over those that there are.
MOST = 12


def read(path):
    rows = list(csv.DictReader(path.open()))
    header = list(rows[0])
    parameters = header[header.index("variant") + 1 : header.index("status")]
    return [row for row in rows if row["status"] == "ok"], parameters


def same(one, other, parameters, but):
    return all(one[name] == other[name] or name in but for name in parameters)


def main():
    program, measured, out, *only = sys.argv[1:]
    results = []
    for scenario, pattern, remedy, kind, values, of_remedy in PAIRS:
        if only and scenario not in only:
            continue
        rows, parameters = read(Path(measured) / scenario / "points.csv")
        # What a variant does not depend on has no value, or another.
        chosen = [row for row in rows if row["variant"] == pattern and all(row[name] in list_ for name, list_ in values.items())]
        chosen = chosen[:: max(1, len(chosen) // MOST)]
        for row in chosen:
            others = [own for own in rows if own["variant"] == remedy]
            others = [own for own in others if same(own, row, parameters, of_remedy) and all(own[name] == value for name, value in of_remedy.items())]
            if not others:
                others = [own for own in rows if own["variant"] == remedy and all(own[name] in ("", row[name]) for name in parameters)]
            if not others or others[0] is row:
                continue
            sets = [word for name in parameters if row[name] for word in ("--set", f"{name}={row[name]}")]
            command = [program, "diagnose", scenario, "--device", "sim:h200", "--variant", pattern, "--most", "0", "--json", *sets]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode not in (0,):
                print(f"{' '.join(command)}: {run.stderr.strip()[:300]}", file=sys.stderr)
                continue
            own = json.loads(run.stdout)["variants"][0]
            without = own["time_without_us"].get(kind, own["time_us"])
            predicted = own["time_us"] / without
            gain = float(row["time_us"]) / float(others[0]["time_us"])
            values_told = " ".join(f"{name}={row[name]}" for name in parameters if len({one[name] for one in rows}) > 1)
            results.append([scenario, pattern, remedy, kind, values_told, f"{gain:.4f}", f"{predicted:.4f}", f"{1e2 * (predicted / gain - 1):.1f}"])
            print(*results[-1], sep="  ", flush=True)
    with open(out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["scenario", "pattern_variant", "remedy_variant", "pattern", "point", "measured_gain", "predicted_gain", "error_pct"])
        writer.writerows(results)
    errors = sorted(abs(float(row[7])) for row in results)
    above = [row for row in results if float(row[5]) > 1.05]
    right = [row for row in above if float(row[6]) > 1.0]
    print(f"{len(results)} points: median error {median(errors):.1f} %, nine of ten within {errors[ceil(0.9 * len(errors)) - 1]:.1f} %")
    print(f"direction right at {len(right)} of {len(above)} points whose measured gain is above 5 %")


if __name__ == "__main__":
    main()
