"""Holds predicted gains of remedies against gains that a GPU has, of kernels that people write (`tests/gpu/diagnosis/remedies`).

    python3 tests/gpu/diagnosis/remedies.py MEASURED APBENCH > remedies.csv

MEASURED has the runs of `tests/gpu/diagnosis/remedies.sh`. What each remedy takes away says which figure of the diagnosis predicts it: the time without
the pattern that stands first, with what its remedy leaves (`first`) or all of it (`alone`), or the time without all that was found (`all`). Each is of
the largest size.
"""

import csv
import json
import os
import subprocess
import sys

FOLDER = "tests/gpu/diagnosis/remedies"
# Kernel, its remedy, and what that takes away.
PAIRS = [
    ("chunk", "chunk_fix", "all"),
    ("decode", "decode_fix", "all"),
    ("dot", "dot_fix", "first"),
    ("fw", "fw_fix", "first"),
    ("gauss", "gauss_fix", "all"),
    ("gemm", "gemm_fix", "all"),
    ("heat", "heat_fix", "all"),
    ("hist", "hist_fix", "alone"),
    ("jacobi", "jacobi_fix", "all"),
    ("knn", "knn_fix", "all"),
    ("lastblock", "lastblock_fix", "first"),
    ("narrow", "narrow_fix", "all"),
    ("norm", "norm_fix", "all"),
    ("particles", "particles_fix", "all"),
    ("prefix", "prefix_fix", "all"),
    ("reduce", "reduce_mask", "first"),
    ("sharedaos", "sharedaos_fix", "all"),
    ("spmv", "spmv_fix", "all"),
    ("tdouble", "tdouble_fix", "all"),
    ("uneven", "uneven_fix", "first"),
]


def largest(folder):
    """The last row of a run: its parameters and its time."""
    with open(os.path.join(folder, "points.csv"), encoding="utf-8") as file:
        row = list(csv.DictReader(file))[-1]
    names = list(row)
    names = names[names.index("variant") + 1 : names.index("status")]
    return {name: row[name] for name in names}, float(row["time_us"])


def diagnosis(apbench, name, values):
    sets = [part for key, value in values.items() for part in ("--set", f"{key}={value}")]
    told = subprocess.run(
        [apbench, "diagnose", f"{FOLDER}/{name}.toml", "--device", "sim:h200", "--json", *sets],
        check=True, capture_output=True, text=True,
    )
    return json.loads(told.stdout)["variants"][0]


def predicted(own, figure):
    first = own["findings"][0]
    if figure == "first":
        return first["time_remedied_us"] or first["time_without_us"]
    return first["time_without_us"] if figure == "alone" else own["time_without_all_us"]


def main(measured, apbench):
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["kernel", "remedy", "figure", "measured_us", "measured_remedied_us", "simulated_us", "predicted_us",
                    "measured_gain", "predicted_gain", "error_pct"])
    errors = []
    for name, remedy, figure in PAIRS:
        values, before = largest(os.path.join(measured, name))
        _, after = largest(os.path.join(measured, remedy))
        own = diagnosis(apbench, name, values)
        # A loop over launches: some of them are simulated.
        part = (own["launches_simulated"] or 1) / (own["launches"] or 1)
        simulated, after_predicted = own["time_us"] / part, predicted(own, figure) / part
        gain, gain_predicted = before / after, simulated / after_predicted
        error = 100 * (gain_predicted / gain - 1)
        errors.append(abs(error))
        numbers = [before, after, simulated, after_predicted]
        table.writerow([name, remedy, figure, *(f"{own:.4g}" for own in numbers), f"{gain:.3g}", f"{gain_predicted:.3g}",
                        f"{error:.1f}"])
    errors.sort()
    within = sum(error <= 35 for error in errors)
    print(f"median {errors[len(errors) // 2]:.1f} %, {within} of {len(errors)} within 35 %", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
