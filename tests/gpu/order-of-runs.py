"""Whether two measured runs have variants in the same order: of one GPU against another, as a bound for what a simulated GPU can reach.

    order-of-runs.py ONE OTHER

ONE and OTHER have a folder for each scenario. A pair are two variants at the same parameters whose times in ONE differ by so much.
"""

import csv
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

APART = [1.05, 1.2]
NOT_PARAMETERS = {"point", "variant"}


def times(run):
    """The times of a run by parameters, then by variant."""
    with open(run / "points.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    parameters = [name for name in columns[: columns.index("status")] if name not in NOT_PARAMETERS]
    found = defaultdict(dict)
    for row in rows:
        if row["time_us"]:
            found[tuple(row[name] for name in parameters)][row["variant"]] = float(row["time_us"])
    return found


def pairs(one, other):
    """How far apart two variants are in the first run, and whether the second has them in the same order."""
    for parameters, variants in one.items():
        others = other.get(parameters, {})
        for first, second in combinations(sorted(variants.keys() & others.keys()), 2):
            ratio, other_ratio = variants[second] / variants[first], others[second] / others[first]
            yield max(ratio, 1 / ratio), (ratio > 1) == (other_ratio > 1)


def main(one, other):
    total = []
    for run in sorted(path for path in one.iterdir() if (other / path.name / "points.csv").exists()):
        found = list(pairs(times(run), times(other / run.name)))
        total += found
        print(f"{run.name:28}", told(found))
    print(f"{'all':28}", told(total))


def told(found):
    texts = []
    for apart in APART:
        right = [is_right for ratio, is_right in found if ratio >= apart]
        if right:
            texts.append(f"{100 * (apart - 1):.0f} % apart: {sum(right)} of {len(right)} ({100 * sum(right) / len(right):.1f} %)")
    return ", ".join(texts)


main(*map(Path, sys.argv[1:3]))
