"""Puts the times of apbench beside those of NVBench.

    tables.py OUT

OUT is a folder that `compare.sh` filled. Writes OUT/agreement.csv, a row for each point, and OUT/walltime.csv, a row for
each kind of points, and prints both.
"""

import csv
import sys
from pathlib import Path
from statistics import mean, median

KINDS = ["compute", "memory", "tiny"]
PASSES = ["first", "second"]
AGREEMENT = [
    "kind", "point", "width", "branches", "work",
    "apbench_memset_us", "nvbench_us", "difference_pct", "allowed_pct", "agrees",
    "apbench_clean_us", "clean_difference_pct",
    "apbench_samples", "apbench_half_width_pct", "apbench_drift_pct", "apbench_clock_mhz", "apbench_flags",
    "nvbench_samples", "nvbench_half_width_pct", "nvbench_noise_pct", "nvbench_drift_pct", "nvbench_clock_mhz",
]  # fmt: skip
WALLTIME = [
    "kind", "points", "apbench_clean_wall_s", "apbench_memset_wall_s", "nvbench_wall_s", "nvbench_cold_wall_s",
    "apbench_of_nvbench", "apbench_of_nvbench_cold",
    "apbench_half_width_pct_worst", "nvbench_half_width_pct_worst",
    "apbench_half_width_pct_median", "nvbench_half_width_pct_median", "nvbench_noise_pct_median",
    "apbench_drift_pct_worst", "nvbench_drift_pct_worst", "apbench_drift_pct_median", "nvbench_drift_pct_median",
    "apbench_long_wall_s", "apbench_long_of_nvbench", "apbench_long_drift_pct_worst", "apbench_long_drift_pct_median",
]  # fmt: skip


def read(path, key):
    """The rows of a table by a column; none where it is not there."""
    if not path.is_file():
        print(f"warning: {path} is not there", file=sys.stderr)
        return {}
    with open(path, newline="") as file:
        return {row[key]: row for row in csv.DictReader(file)}


def number(row, column):
    """A cell as a number; None where it is empty or there is no row."""
    text = (row or {}).get(column) or ""
    try:
        return float(text)
    except ValueError:
        return None


def of_all(function, values):
    known = [value for value in values if value is not None]
    return function(known) if known else None


def percent(value, reference):
    return None if value is None or not reference else 100 * (value / reference - 1)


def half_width_pct(row, middle, low, high):
    ends = [number(row, low), number(row, high)]
    reference = number(row, middle)
    return None if None in ends or not reference else 100 * (ends[1] - ends[0]) / 2 / reference


def shown(value, digits):
    return "" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def allowed_pct(time_us):
    """How far apart times may be: none below 5 us, where events are too coarse."""
    return None if time_us is None or time_us < 5 else 3 if time_us < 20 else 1


def agreement(out, kind):
    """The rows of a kind's points, as numbers."""
    nvbench, again = (read(out / folder / kind / "nvbench.csv", "point") for folder in ["nvbench", "nvbench-again"])
    runs = {
        (turn, flush): read(out / "apbench" / turn / flush / kind / "points.csv", "point")
        for turn in PASSES
        for flush in ["memset", "clean"]
    }
    points = sorted({point for rows in [nvbench, *runs.values()] for point in rows}, key=int)
    for point in points:
        theirs = nvbench.get(point)
        memset, clean = ([runs[turn, flush].get(point) for turn in PASSES] for flush in ["memset", "clean"])
        ours = next((row for row in memset + clean if row), {})
        memset_us = [number(row, "time_us") for row in memset]
        memset_mean_us = of_all(mean, memset_us)
        clean_us = of_all(mean, [number(row, "time_us") for row in clean])
        nvbench_us = number(theirs, "nvbench_us")
        nvbench_again_us = number(again.get(point), "nvbench_us")
        nvbench_drift_pct = percent(nvbench_again_us, nvbench_us)
        # Both measure twice, and both times count.
        nvbench_us = of_all(mean, [nvbench_us, nvbench_again_us])
        difference_pct, allowed = percent(memset_mean_us, nvbench_us), allowed_pct(nvbench_us)
        judged = difference_pct is not None and allowed is not None
        widths = [half_width_pct(row, "time_us", "time_us_low", "time_us_high") for row in memset]
        yield {
            "kind": kind,
            "point": int(point),
            **{name: ours.get(name, "") for name in ["width", "branches", "work"]},
            "apbench_memset_us": memset_mean_us,
            "nvbench_us": nvbench_us,
            "difference_pct": difference_pct,
            "allowed_pct": allowed,
            "agrees": ("yes" if abs(difference_pct) <= allowed else "NO") if judged else None,
            "apbench_clean_us": clean_us,
            "clean_difference_pct": percent(clean_us, nvbench_us),
            "apbench_samples": of_all(max, [number(row, "samples") for row in memset]),
            "apbench_half_width_pct": of_all(max, widths),
            "apbench_drift_pct": None if None in memset_us else percent(memset_us[1], memset_us[0]),
            "apbench_clock_mhz": of_all(mean, [number(row, "clock_mhz") for row in memset]),
            "apbench_flags": ours.get("flags", ""),
            "nvbench_samples": number(theirs, "samples"),
            "nvbench_half_width_pct": half_width_pct(theirs, "nvbench_us", "low_us", "high_us"),
            "nvbench_noise_pct": number(theirs, "noise_pct"),
            "nvbench_drift_pct": nvbench_drift_pct,
            "nvbench_clock_mhz": number(theirs, "clock_mhz"),
            "nvbench_cold_wall_s": number(theirs, "cold_wall_s"),
        }


def walltime(out, rows, steps, kind):
    """What a kind's points took both of them, and what they came to."""
    own = [row for row in rows if row["kind"] == kind]

    long = [read(out / "apbench" / turn / "long" / kind / "points.csv", "point") for turn in PASSES]
    long_us = [[number(rows.get(point), "time_us") for rows in long] for point in sorted({*long[0], *long[1]}, key=int)]
    long_drifts = [abs(percent(second, first)) for first, second in long_us if first and second]

    def wall_s(step):
        row = steps.get(step)
        # What was stopped did not do its work.
        return number(row, "wall_s") if row and row["status"] == "0" else None

    clean, memset = (
        of_all(mean, [wall_s(f"apbench-{turn}-{flush}-{kind}") for turn in PASSES]) for flush in ["clean", "memset"]
    )
    long_wall_s = of_all(mean, [wall_s(f"apbench-{turn}-long-{kind}") for turn in PASSES])
    nvbench = wall_s(f"nvbench-{kind}")
    cold = of_all(sum, [row["nvbench_cold_wall_s"] for row in own])
    column = lambda name, function: of_all(function, [row[name] for row in own])  # noqa: E731
    return {
        "kind": kind,
        "points": len(own),
        "apbench_clean_wall_s": clean,
        "apbench_memset_wall_s": memset,
        "nvbench_wall_s": nvbench,
        "nvbench_cold_wall_s": cold,
        "apbench_of_nvbench": clean / nvbench if clean and nvbench else None,
        "apbench_of_nvbench_cold": clean / cold if clean and cold else None,
        "apbench_half_width_pct_worst": column("apbench_half_width_pct", max),
        "nvbench_half_width_pct_worst": column("nvbench_half_width_pct", max),
        "apbench_half_width_pct_median": column("apbench_half_width_pct", median),
        "nvbench_half_width_pct_median": column("nvbench_half_width_pct", median),
        "nvbench_noise_pct_median": column("nvbench_noise_pct", median),
        "apbench_long_wall_s": long_wall_s,
        "apbench_long_of_nvbench": long_wall_s / nvbench if long_wall_s and nvbench else None,
        "apbench_long_drift_pct_worst": of_all(max, long_drifts),
        "apbench_long_drift_pct_median": of_all(median, long_drifts),
        **{
            f"{who}_drift_pct_{word}": column(f"{who}_drift_pct", lambda values, of=of: of(map(abs, values)))
            for word, of in [("worst", max), ("median", median)]
            for who in ["apbench", "nvbench"]
        },
    }


def write(path, columns, rows):
    def cell(column, value):
        return shown(value, 0 if "samples" in column or "clock" in column else 2 if "wall" in column else 3)

    cells = [columns] + [[cell(column, row[column]) for column in columns] for row in rows]
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(cells)
    widths = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    print(f"\n{path}")
    for row in cells:
        print("  ".join(text.rjust(width) for text, width in zip(row, widths)))


def main(out):
    rows = [row for kind in KINDS for row in agreement(out, kind)]
    if not rows:
        sys.exit(f"error: {out} has no times")
    write(out / "agreement.csv", AGREEMENT, rows)
    steps = read(out / "steps.csv", "step")
    write(out / "walltime.csv", WALLTIME, [walltime(out, rows, steps, kind) for kind in KINDS])
    judged = [row["agrees"] for row in rows if row["agrees"]]
    print(f"\n{judged.count('yes')} of {len(judged)} points of 5 us and more agree")
    sys.exit(0 if judged and all(word == "yes" for word in judged) else 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
