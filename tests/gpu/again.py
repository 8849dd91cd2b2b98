#!/usr/bin/env python3
"""What the comparisons of tests/gpu/again.sh found.

    tests/gpu/again.py verdicts OUT [SCENARIO...]
    tests/gpu/again.py points GROUP=OUT/SCENARIO.csv...

`verdicts` prints for each scenario how many points have which verdict and the ratios of the times (new / earlier), and lists every
point that could not be compared, with its reason. Without a SCENARIO, all that OUT has. The exit status is 1 where a point of a new
run is not ok, unless both runs skip it, and where a scenario has no comparison or no point in common.

`points` prints the points of comparisons as one table, such as results/nvidia-h200/again-points.csv. GROUP says which runs they are.
Points without a time in one of the runs have their status in the new run instead of a verdict.
"""

import collections
import csv
import sys
from pathlib import Path

COLUMNS = ["runs", "scenario", "variant", "parameters", "base_us", "other_us", "ratio", "ratio_low", "ratio_high", "verdict"]


def rows_of(file):
    """The rows of a file, or none where it is not there."""
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def parameters(row):
    """A point's parameters: what stands between its variant and the first column about the comparison."""
    names = list(row)
    between = names[names.index("variant") + 1 : names.index("standing")]
    return {name: row[name] for name in between if row[name]}


def words(own):
    return " ".join(f"{name}={value}" for name, value in own.items())


def counted(verdicts):
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) or "none"


class Scenario:
    """The comparison of one scenario, with the points of the new run."""

    def __init__(self, file):
        self.name = file.stem
        rows = rows_of(file)
        self.was_compared = bool(rows)
        self.compared = [row for row in rows if row["standing"] == "COMPARED"]
        self.others = [row for row in rows if row["standing"] != "COMPARED"]
        self.ends = [row for row in rows_of(file.with_suffix("") / "points.csv") if row["status"] != "ok"]

    def end(self, row):
        """The status and the reason of a point of the new run; empty where they are not known."""
        wanted = {"variant": row["variant"], **parameters(row)}
        for own in self.ends:
            if all(own.get(name, value) == value for name, value in wanted.items()):
                return own["status"], own["reason"]
        return "", ""

    def is_failure(self, row):
        """Whether the point was measured anew and is not ok."""
        if row["standing"] == "REMOVED":
            return False
        status, _ = self.end(row)
        if status:
            return status != "skipped" or row["base_status"] not in ("skipped", "")
        # Without the run itself: a point that the earlier run has a time for, and the new one not.
        return row["standing"] == "FAILED" and row["base_status"] == "ok" and not row["other_us"]

    def told(self, row):
        """A point that could not be compared, in words."""
        status, reason = self.end(row)
        now = {"REMOVED": "not there"}.get(row["standing"], status or ("ok" if row["other_us"] else "no time"))
        before = row["base_status"] or "not there"
        because = f": {reason}" if reason else ""
        return f"{self.name} {row['variant']} {words(parameters(row))}: {row['standing']}, before {before}, now {now}{because}"


def verdicts(out, names):
    scenarios = [Scenario(out / f"{name}.csv") for name in names or sorted(file.stem for file in out.glob("*.csv"))]
    every, status = collections.Counter(), 0
    for scenario in scenarios:
        if not scenario.was_compared:
            print(f"{scenario.name:20} has no comparison")
            status = 1
            continue
        own = collections.Counter(row["verdict"] for row in scenario.compared)
        every += own
        ratios = sorted(float(row["ratio"]) for row in scenario.compared)
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}, median {ratios[len(ratios) // 2]:.4f}" if ratios else "no point in common"
        status = status if ratios else 1
        more = f"; {len(scenario.others)} not compared" if scenario.others else ""
        print(f"{scenario.name:20} {len(ratios):4} points, ratios {spread}: {counted(own)}{more}")
    print(f"all: {sum(every.values())} points: {counted(every)}")
    others = [(scenario, row) for scenario in scenarios for row in scenario.others]
    if others:
        print(f"not compared: {len(others)} points")
    for scenario, row in others:
        print(f"    {scenario.told(row)}")
    failures = sum(scenario.is_failure(row) for scenario, row in others)
    if failures:
        print(f"not ok in the new run: {failures} points")
    return int(status or failures > 0)


def points(groups):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for group, file in groups:
        scenario = Scenario(file)
        for row in scenario.compared + scenario.others:
            ratios = [row[name] and f"{float(row[name]):.4f}" for name in ("ratio", "ratio_low", "ratio_high")]
            verdict = row["verdict"] or scenario.end(row)[0] or row["standing"]
            own = [group, scenario.name, row["variant"], words(parameters(row)), row["base_us"], row["other_us"]]
            writer.writerow([*own, *ratios, verdict])
    return 0


def main(arguments):
    command, rest = (arguments or [""])[0], arguments[1:]
    if command == "verdicts" and rest and Path(rest[0]).is_dir():
        return verdicts(Path(rest[0]), rest[1:])
    if command == "points" and rest and all("=" in group for group in rest):
        named = (group.partition("=") for group in rest)
        return points([(group, Path(file)) for group, _, file in named])
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
