#!/usr/bin/env python3
"""Whether `apbench sweep --counters hardware` counts what Nsight Compute counts:

    tests/gpu/hardware-counters.py OUT.csv [SCENARIO ...]

A row is a column of a point: what the program wrote, what ncu says of all launches of the point together, and whether both are the same. Columns
whose metrics depend on what else happens on the GPU (L2, device memory, arbitration, cycles) are told beside. Ends with status 1 where another
one differs or is missing. Needs a GPU whose counters may be read, ncu on the PATH, and target/release/apbench (or APBENCH).
"""

import csv
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("families", here / "counters-families.py")
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)

EXACT = {
    "warp_instructions": ["smsp__inst_executed.sum"],
    "thread_instructions": ["smsp__thread_inst_executed.sum"],
    "global_load_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "global_load_transactions": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "global_store_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    "global_store_transactions": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "global_atomic_requests": [
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    ],
    "global_atomic_transactions": [
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    ],
    "hw_branch_targets": ["smsp__sass_branch_targets.sum"],
    "hw_divergent_branch_targets": ["smsp__sass_branch_targets_threads_divergent.sum"],
}
BESIDE = {
    "hw_shared_load_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    "hw_shared_store_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    "hw_bank_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
    "hw_l1_load_hit_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"],
    "hw_l2_read_sectors": ["lts__t_sectors_op_read.sum"],
    "hw_l2_write_sectors": ["lts__t_sectors_op_write.sum"],
    "hw_dram_read_bytes": ["dram__bytes_read.sum"],
    "hw_dram_write_bytes": ["dram__bytes_write.sum"],
}
COLUMNS = {**EXACT, **BESIDE}
METRICS = [metric for metrics in COLUMNS.values() for metric in metrics]

POINTS = [
    ("branching", "divergent", ["operation=compute", "branches=8"]),
    ("branching", "divergent", ["operation=convolution", "branches=32"]),
    ("branching-remedies", "dynamic_reordering", ["operation=compute", "branches=8"]),
    ("branching-remedies", "table_lookup", ["operation=compute", "branches=32"]),
    ("transpose", "naive", ["width=512"]),
    ("transpose", "shared_padded", ["width=512"]),
    ("global-access", "straight", ["width=1040"]),
    ("global-stride", "strided", ["word_bytes=4", "stride=33", "offset=0"]),
    ("data-layout", "array_of_structures", ["fields=8", "fields_used=8"]),
    ("bank-conflicts", "strided", ["word_bytes=4", "stride=32"]),
    ("shared-access", "read_conflicted_write_conflicted", ["repetitions=16"]),
    ("block-sync", "barrier", ["interval=10", "resident_blocks=0"]),
    ("sum-reordering", "leading_threads", ["block=256"]),
    ("elements-per-thread", "grid_stride", ["elements_per_thread=4", "ordering=blocked", "multiply_adds=1"]),
    ("occupancy", "limited_by_shared", ["warp_limit=32", "multiply_adds=1"]),
    ("atomics", "global", ["addresses=64", "spread=inside_warp"]),
    ("atomics", "shared", ["addresses=64", "spread=across_warps"]),
    ("prefix-sum", "register_blocked", ["elements=262144"]),
    ("prefix-sum", "naive", ["elements=262144"]),
    ("reduction", "one_launch", []),
    ("reduction", "shared_divergent", []),
    ("stencil-halo", "redundant_halo", ["steps_per_launch=4"]),
    ("trapezoid", "warp_shuffle", ["block=256"]),
]


def by_nsight(program, scenario, sets, variant):
    """The point's columns as ncu counts them, over all its launches; None where it has no such metric."""
    rows = families.launches(program, scenario, sets, "simulated", METRICS, variant)
    names = [name.split()[0] for name in next(rows)[5:]]
    point = dict.fromkeys(COLUMNS, 0.0)
    for row in rows:
        found = dict(zip(names, row[5:]))
        for column, metrics in COLUMNS.items():
            for metric in metrics:
                known = point[column] is not None and found[metric] not in ("", "n/a", "nan")
                point[column] = point[column] + float(found[metric]) if known else None
    return point


def by_program(program, scenario, variant, sets):
    """The point's row of points.csv, and what the program says of its counters."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "sweep", f"scenarios/{scenario}.toml", "--device", "cuda:0", "--sizes", "simulated", "--counters", "hardware"]
        command += ["--variant", variant, "--budget", "0.05", "--out", f"{folder}/run"]
        command += [word for one in sets for word in ("--set", one)]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
        with open(f"{folder}/run/points.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        if len(rows) != 1:
            raise RuntimeError(f"{len(rows)} points in place of one\n{done.stdout[-400:]}")
        return rows[0], notes


def main():
    out, wanted = sys.argv[1], sys.argv[2:]
    program = os.environ.get("APBENCH", "target/release/apbench")
    told, counts = set(), {}
    with open(out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["scenario", "point", "column", "apbench", "nsight_compute", "standing"])
        for scenario, variant, sets in POINTS:
            if wanted and scenario not in wanted:
                continue
            try:
                expected = by_nsight(program, scenario, sets, variant)
                row, notes = by_program(program, scenario, variant, sets)
            except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
                print(f"{scenario} {variant}: {error}")
                counts["failed"] = counts.get("failed", 0) + 1
                continue
            for note in set(notes) - told:
                told.add(note)
                print(note)
            of_point = {}
            for column, value in expected.items():
                own = row.get(column, "")
                if column in BESIDE:
                    standing = "beside"
                elif own == "" or value is None:
                    standing = "missing"
                else:
                    standing = "same" if float(own) == value else "different"
                of_point[standing] = of_point.get(standing, 0) + 1
                counts[standing] = counts.get(standing, 0) + 1
                point = " ".join([variant, *sets])
                writer.writerow([scenario, point, column, own, "" if value is None else f"{value:.0f}", standing])
            print(f"{scenario} {variant}: {of_point}", flush=True)
    print(f"{len(POINTS)} points: {counts}")
    return 1 if set(counts) & {"different", "missing", "failed"} else 0


if __name__ == "__main__":
    sys.exit(main())
