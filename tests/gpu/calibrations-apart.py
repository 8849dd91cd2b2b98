"""How far the measured constants of two profiles that `apbench calibrate` wrote are apart: python3 tests/gpu/calibrations-apart.py FIRST.toml SECOND.toml

Prints CSV, a row for each constant that both have measured: constant, first, second, apart_pct (from the first to the second), sure_to_pct (of both together);
and how many are within 3 % on standard error. Exits with 1 where one is further apart than 3 % and than what both together are sure to, and with 2 without two profiles.
"""

import csv
import re
import sys
import tomllib
from pathlib import Path

MOST_PCT = 3.0


def constants(table, prefix=""):
    """Each constant of a profile by its key, as (value, source)."""
    for key, own in table.items():
        if isinstance(own, dict) and "value" in own:
            yield prefix + key, own
        elif isinstance(own, dict):
            yield from constants(own, f"{prefix}{key}.")


def sure_to_pct(own):
    """What a constant is sure to, in percent; 0 where it does not say."""
    found = re.search(r"sure to ([0-9.]+) %", own["source"])
    return float(found[1]) if found else 0.0


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    first, second = (dict(constants(tomllib.loads(Path(path).read_text()))) for path in sys.argv[1:3])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["constant", "first", "second", "apart_pct", "sure_to_pct"])
    apart, failures = [], 0
    for key, own in second.items():
        other = first.get(key)
        if other is None or not all(each["source"].startswith("measured:") for each in (own, other)):
            continue
        apart_pct = (own["value"] / other["value"] - 1) * 100
        sure_pct = sure_to_pct(own) + sure_to_pct(other)
        apart.append(abs(apart_pct))
        failures += abs(apart_pct) > max(MOST_PCT, sure_pct)
        writer.writerow([key, other["value"], own["value"], f"{apart_pct:.2f}", f"{sure_pct:g}"])
    sys.stdout.flush()
    within = sum(each <= MOST_PCT for each in apart)
    print(f"{within} of {len(apart)} constants are within {MOST_PCT:g} %, {failures} further apart than they are sure to", file=sys.stderr)
    return 1 if failures or not apart else 0


if __name__ == "__main__":
    sys.exit(main())
