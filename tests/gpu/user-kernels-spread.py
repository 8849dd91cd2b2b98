"""Families and the same kernels as a user's, several runs of each: by how much runs of the same kernels differ, and the two from each other.

python3 tests/gpu/user-kernels-spread.py FOLDER    (what tests/gpu/user-kernels-again.sh wrote)
"""

import csv
import statistics
import sys
from pathlib import Path

COORDINATES = ("variant", "width", "fields")


def times(runs):
    """Times in microseconds of each point, by run."""
    points = {}
    for run in runs:
        with open(run / "points.csv", newline="") as file:
            for row in csv.DictReader(file):
                key = " ".join(row[name] for name in COORDINATES if row.get(name))
                points.setdefault(key, []).append(float(row["time_us"]))
    return points


def main(folder):
    for name in ("transpose", "data-layout"):
        families = times(sorted(folder.glob(f"scenarios-*-{name}")))
        users = times(sorted(folder.glob(f"kernels-*-{name}")))
        print(f"{name}: largest over smallest time of runs of the family, of the user's kernel; median over median")
        ratios = []
        for key, own in families.items():
            ratio = statistics.median(users[key]) / statistics.median(own)
            ratios.append(ratio)
            spreads = [max(times_us) / min(times_us) for times_us in (own, users[key])]
            print(f"  {key:28} {spreads[0]:.3f} {spreads[1]:.3f} {ratio:.3f}")
        print(f"  geometric mean {statistics.geometric_mean(ratios):.4f} of {len(ratios)} points")


main(Path(sys.argv[1]))
