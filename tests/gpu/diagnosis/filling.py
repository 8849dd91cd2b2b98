#!/usr/bin/env python3
"""What diagnose says that more blocks, warps or wider loads gain, beside what they gained on a GPU.

    tests/gpu/diagnosis/filling.py OUT [APBENCH [DEVICE]]

OUT is the folder that filling.sh wrote; DEVICE a simulated one, sim:h200 where nothing is said. The measured gain of few
blocks is that of the fastest launch with whole waves over theirs, that of occupancy the launch without shared memory over
the one with it, that of wide loads the launch of `reading_wide` over that of `reading`. Writes OUT/gains.csv and prints it.
"""

import csv
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCENARIO = "tests/kernels/filling.toml"
WHOLE_WAVES = ("1056", "2112", "4224", "8448")
COLUMNS = ("variant", "blocks", "shared_kib", "shortage", "measured_gain", "predicted_gain")


def measured(run):
    """Times of a run by variant, blocks and KiB of shared memory."""
    with open(run / "points.csv", encoding="utf-8", newline="") as file:
        return {(row["variant"], row["blocks"], row["shared_kib"]): float(row["time_us"]) for row in csv.DictReader(file)}


def diagnosed(apbench, device, blocks, shared_kib):
    """What each variant gains by filling what is empty, by the word for it."""
    asked = ["diagnose", SCENARIO, "--device", device, "--set", f"blocks={blocks}", "--set", f"shared_kib={shared_kib}"]
    told = subprocess.run([apbench, *asked, "--json"], capture_output=True, check=True, cwd=ROOT, text=True)
    for variant in json.loads(told.stdout)["variants"]:
        for kernel in variant["kernels"]:
            gains = {name: variant["time_us"] / us for name, us in kernel["time_without_us"].items()}
            yield variant["variant"], gains


def rows(out, apbench, device):
    """A row for each launch that leaves places empty."""
    of_blocks, of_shared = measured(out / "blocks"), measured(out / "shared")
    for blocks in sorted({key[1] for key in of_blocks}, key=int):
        for variant, gains in diagnosed(apbench, device, blocks, "0"):
            best = min(of_blocks[variant, whole, "0"] for whole in WHOLE_WAVES)
            gain = of_blocks[variant, blocks, "0"] / best
            for name in ("few_blocks", "tail"):
                if name in gains:
                    yield variant, blocks, "0", name, gain, gains[name]
            if variant == "reading" and "narrow_loads" in gains:
                gain = of_blocks["reading", blocks, "0"] / of_blocks["reading_wide", blocks, "0"]
                yield variant, blocks, "0", "narrow_loads", gain, gains["narrow_loads"]
    for blocks, shared_kib in sorted({key[1:] for key in of_shared}, key=lambda key: tuple(map(int, key))):
        for variant, gains in diagnosed(apbench, device, blocks, shared_kib):
            if "occupancy" in gains:
                gain = of_shared[variant, blocks, shared_kib] / of_shared[variant, blocks, "0"]
                yield variant, blocks, shared_kib, "occupancy", gain, gains["occupancy"]


def main():
    out = pathlib.Path(sys.argv[1])
    apbench = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "target/release/apbench")
    device = sys.argv[3] if len(sys.argv) > 3 else "sim:h200"
    errors = []
    with open(out / "gains.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for *key, gain, predicted in rows(out, apbench, device):
            errors.append(abs(predicted / gain - 1))
            row = [*key, f"{gain:.3f}", f"{predicted:.3f}"]
            writer.writerow(row)
            print(",".join(row), f"{1e2 * (predicted / gain - 1):+.0f} %")
    errors.sort()
    ninth = errors[9 * len(errors) // 10]
    print(f"{len(errors)} gains: {1e2 * statistics.median(errors):.1f} % off in the median, nine of ten within {1e2 * ninth:.1f} %")


if __name__ == "__main__":
    main()
