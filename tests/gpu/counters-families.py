#!/usr/bin/env python3
"""What Nsight Compute counts for launches of all families, as a table to hold the simulated device against:

    tests/gpu/counters-families.py OUT.csv [at-gpu-sizes] [SCENARIO ...]

A row is a launch: the scenario, the point as the program names it, the kernel, then the counters. With `at-gpu-sizes` the launches are
those whose traffic in L2 and device memory is of interest, at the sizes of a GPU. Needs a GPU whose counters may be read, ncu on the
PATH, and target/release/apbench (or APBENCH).
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

COUNTS = """
smsp__inst_executed.sum
smsp__thread_inst_executed.sum
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum
launch__registers_per_thread
""".split()
TRAFFIC = """
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
lts__t_sectors_op_read.sum
lts__t_sectors_op_read_lookup_hit.sum
lts__t_sectors_op_write.sum
dram__bytes_read.sum
dram__bytes_write.sum
lts__d_sectors.sum
lts__throughput.avg.pct_of_peak_sustained_elapsed
gpu__time_duration.sum
""".split()

SMALL = {
    "transpose": ["width=512"],
    "transpose-rows": ["tile=32", "rows_per_thread=1,4"],
    "global-access": ["width=1040"],
    "global-stride": ["word_bytes=4", "stride=1,33", "offset=0"],
    "global-crossed": ["width=512"],
    "data-layout": ["fields=2,8", "fields_used=2,8"],
    "data-layout-unused": ["fields_used=3"],
    "shared-access": ["repetitions=16"],
    "bank-conflicts": ["word_bytes=4", "stride=2,32"],
    "block-sync": ["interval=10", "resident_blocks=0"],
    "global-sync": ["interval=50"],
    "stencil-halo": ["steps_per_launch=4"],
    "sum-reordering": ["block=256"],
    "elements-per-thread": ["elements_per_thread=4"],
    "block-size-2d": ["block_width=16", "block_height=16"],
    "occupancy": ["warp_limit=32"],
    "atomics": ["addresses=1,64", "spread=across_warps"],
    "branching-remedies": ["branches=8,32"],
    "branching-unequal": ["branches=16"],
    "prefix-sum": ["elements=262144"],
    "reduction": [],
    "select-sum": ["threshold=5001"],
    "trapezoid": ["block=256"],
    "histogram": ["elements=65536", "input=uniform"],
    "matrix-fragments": ["fragments=256", "row_bytes=32,128"],
    "cluster-barrier": ["waits=64", "block=128", "cluster_blocks=1,4"],
    "cluster-exchange": ["loads=128", "cluster_blocks=4"],
    "cluster-sum": ["launched_blocks=1056", "cluster_blocks=2,8"],
    "atomic-types": ["additions=64", "memory=global"],
    "cluster-aggregation": ["additions=16", "launched_blocks=128", "cluster_blocks=1,4"],
    "fences": ["waits=64", "scope=device"],
    "asynchronous-copies": ["set_bytes=16777216", "read_bytes=16777216", "tile_bytes=4096", "stages=4"],
    "matrix-tiles": ["set_bytes=16777216", "row_bytes=128", "tile_rows=64", "stages=3"],
    "tile-swizzles": ["read_bytes=16777216", "row_bytes=64"],
    "l2-residency": ["hot_bytes=12582912", "passes=2"],
    "l2-sectors": ["accesses=256", "stride_bytes=64", "prefetch_distance=4"],
}
LARGE = {
    "transpose-rows": ["tile=16,32"],
    "elements-per-thread": ["ordering=blocked", "elements_per_thread=4,8,16,32,64"],
    "global-stride": ["word_bytes=4", "stride=4,16,32,64", "offset=0"],
    "data-layout": ["fields=8", "fields_used=8"],
    "partition-camping": ["width=4096,4128"],
    "atomics": ["addresses=16384", "spread=across_warps"],
    "transpose": ["width=8160,8192,16383,16384"],
}


def names_of_launches(output, count):
    """The point of each launch by its number, from what ncu and the program say. A point is told when all its launches are done; what ncu
    says of a launch may end on the same line, or come late where it is not a terminal that it writes to: then points are told apart where
    there are as many as launches."""
    told, points, launched = [], {}, 0
    found = re.compile(r'Profiling "[^"]*"[^"]*? - (\d+)|(?:ok|wrong|failed|skipped) +([\w-]+/[\w-]+(?: [\w-]+=[^\s:]+)*)')
    for match in found.finditer(output):
        if match[1]:
            launched = max(launched, int(match[1]) + 1)
        else:
            told.append(match[2])
            points |= {launch: match[2] for launch in range(launched) if launch not in points}
    return dict(enumerate(told)) if len(told) == count else points


def launches(program, scenario, sets, sizes, metrics, variant=None):
    """The table of a scenario's launches: names of the columns, their units, a row for each launch. Raises RuntimeError with what ncu
    says where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = f"{folder}/report.ncu-rep"
        options = [word for one in sets for word in ("--set", one)] + (["--variant", variant] if variant else [])
        command = ["ncu", "--export", report, "--clock-control", "none", "--cache-control", "all", "--metrics", ",".join(metrics)]
        # The program's own kernels are left out: the gate waits for a host that the profiler holds up.
        command += ["--kernel-name", "regex:^(?!gate|clock_stamp|timer_step|nothing)"]
        command += [program, "sweep", f"scenarios/{scenario}.toml", "--device", "cuda:0", "--sizes", sizes, "--profiler-run", *options]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        read = ["ncu", "--import", report, "--csv", "--page", "raw", "--print-units", "base"]
        table = subprocess.run(read, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout
    rows = list(csv.reader(line for line in table.splitlines() if line.startswith('"')))
    if len(rows) < 3:
        raise RuntimeError(f"{done.stdout[-800:]}\n{table[-800:]}")
    points = names_of_launches(done.stdout, len(rows) - 2)
    of = {name: place for place, name in enumerate(rows[0])}
    yield ["scenario", "point", "kernel", "grid", "block", *(f"{name} {rows[1][of[name]]}".strip() for name in metrics)]
    for launch, values in enumerate(rows[2:]):
        kernel = values[of["Kernel Name"]].split("(")[0]
        figures = [values[of[name]].replace(",", "") for name in metrics]
        yield [scenario, points.get(launch, "?"), kernel, values[of["Grid Size"]], values[of["Block Size"]], *figures]


def main():
    out, large = sys.argv[1], "at-gpu-sizes" in sys.argv[2:]
    names = [name for name in sys.argv[2:] if name != "at-gpu-sizes"]
    program = os.environ.get("APBENCH", "target/release/apbench")
    if shutil.which("ncu") is None:
        sys.exit(f"{sys.argv[0]}: ncu is not on the PATH, so nothing can be counted; {out} is left as it is")
    failed = False
    with open(out, "w", newline="") as file:
        writer, is_first = csv.writer(file, lineterminator="\n"), True
        for scenario, sets in (LARGE if large else SMALL).items():
            if names and scenario not in names:
                continue
            began = time.monotonic()
            try:
                table = list(launches(program, scenario, sets, "gpu" if large else "simulated", TRAFFIC if large else COUNTS))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"{scenario}: {error}", file=sys.stderr)
                failed = True
                continue
            writer.writerows(table if is_first else table[1:])
            is_first = False
            file.flush()
            print(f"{scenario}: {len(table) - 1} launches, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
