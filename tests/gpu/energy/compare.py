"""How far energies of launches repeat, and how far they are from power times time: python3 tests/gpu/energy/compare.py OUT

OUT has runs of the same scenarios, SCENARIO-1, SCENARIO-2, ..., as tests/gpu/energy/run.sh leaves them. Prints CSV, a row for each point, and the most and the
median on standard error:

- repeats_pct: (largest - smallest) / mean of energy_mj over the runs
- apart_pct: the furthest of the runs from (power reading - idle_w) * energy_time_us, where the power reading is the board's own, not the counter's
- power_apart_pct: the same of the powers themselves

Exits with 1 where a repeats_pct is above 3 or an apart_pct above 5.
"""

import csv
import json
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

MOST_REPEATS_PCT, MOST_APART_PCT = 3.0, 5.0
PARAMETERS = ("branches", "data", "set_bytes", "read_bytes")


def main() -> int:
    out = Path(sys.argv[1])
    points = defaultdict(list)
    for directory in sorted(out.iterdir()):
        named = re.fullmatch(r"(.+)-(\d+)", directory.name)
        if not named or not (directory / "points.csv").exists():
            continue
        guards = json.loads((directory / "run.json").read_text())["guards"]
        for guard in guards:
            if guard["guard"] in ("energy", "clock", "throttling", "other_processes"):
                print(f"{directory.name}: {guard['guard']} {guard['outcome']}: {guard['detail']}", file=sys.stderr)
        with open(directory / "points.csv", newline="") as file:
            for row in csv.DictReader(file):
                told = " ".join(f"{name}={row[name]}" for name in PARAMETERS if name in row)
                if row["status"] != "ok" or not row.get("energy_mj"):
                    print(f"{directory.name}: {told} has no energy: {row['status']} {row['reason']}", file=sys.stderr)
                    continue
                points[named[1], told].append(row)
    if not points:
        print(f"{out} has no run with energies", file=sys.stderr)
        return 1
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(
        "scenario,point,runs,energy_mj,interval_pct,repeats_pct,power_w,idle_w,energy_time_us,apart_pct,power_apart_pct".split(",")
    )
    repeats, aparts, powers = [], [], []
    for (scenario, told), rows in points.items():
        number = lambda name: [float(row[name]) for row in rows]
        energies = number("energy_mj")
        mean = statistics.mean(energies)
        repeats_pct = (max(energies) - min(energies)) / mean * 100
        interval_pct = statistics.mean(
            (high - low) / 2 / energy * 100
            for low, high, energy in zip(number("energy_mj_low"), number("energy_mj_high"), energies)
        )
        apart = []
        for row in rows:
            if row["power_apart_pct"]:
                power_w = float(row["power_w"]) * (1 + float(row["power_apart_pct"]) / 100)
                by_power_mj = (power_w - float(row["idle_w"])) * float(row["energy_time_us"]) / 1e3
                apart.append((by_power_mj / float(row["energy_mj"]) - 1) * 100)
        furthest = max(apart, key=abs, default=float("nan"))
        of_power = max((float(row["power_apart_pct"] or "nan") for row in rows), key=abs)
        repeats.append(repeats_pct)
        aparts.append(abs(furthest))
        powers.append(abs(of_power))
        figures = [mean, interval_pct, repeats_pct, *(statistics.mean(number(name)) for name in ("power_w", "idle_w", "energy_time_us"))]
        writer.writerow([scenario, told, len(rows), *(f"{figure:.4g}" for figure in figures), f"{furthest:.3g}", f"{of_power:.3g}"])
    sys.stdout.flush()
    for what, found in (
        ("energies repeat within", repeats),
        ("energies are from power times time", aparts),
        ("powers are from power readings", powers),
    ):
        print(f"{what}: median {statistics.median(found):.2f} %, at most {max(found):.2f} %", file=sys.stderr)
    is_good = max(repeats) <= MOST_REPEATS_PCT and max(aparts) <= MOST_APART_PCT
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
