#!/usr/bin/env python3
"""What simulated GPUs count against what the hardware counts, for launches of all families:

    tests/gpu/counters-compared.py hardware OUT [SCENARIO ...]     on a GPU: a run with --counters hardware of each scenario, in OUT/SCENARIO
    tests/gpu/counters-compared.py simulated OUT [SCENARIO ...]    anywhere: the same points on sim:h200
    tests/gpu/counters-compared.py compare HARDWARE SIMULATED TABLE.csv     of the scenarios that HARDWARE has

The table has a row for each counter of each scenario: how many points have it in both, at how many the two agree to within a percent, and the
point at which they are furthest apart. Needs target/release/apbench (or APBENCH).
"""

import csv
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("families", here / "counters-families.py")
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)

SCENARIOS = {
    **families.SMALL,
    "branching": ["branches=1,2,8,32"],
    "memory-latency": ["loads=4096", "set_bytes=16384,4194304"],
    "memory-bandwidth": ["block=64,512", "loads_in_flight=4"],
    "instruction-latency": ["instructions=2048"],
    "instruction-rate": ["instructions=512", "block=64,1024"],
    "wait-cost": ["waits=512", "block=64,512"],
    "shared-bandwidth": ["word_bytes=4,16", "loads_in_flight=4", "block=64,512"],
    "atomic-rate": ["additions=128", "block=64"],
    "launch-rate": ["chain_launches=8", "launched_blocks=16"],
    "block-start": ["work_blocks=4096", "block=32,256"],
}
PROGRAM = os.environ.get("APBENCH", "target/release/apbench")


def sweep(out, wanted, device, options):
    for scenario, sets in SCENARIOS.items():
        if wanted and scenario not in wanted:
            continue
        run = f"{out}/{scenario}"
        command = [PROGRAM, "sweep", f"scenarios/{scenario}.toml", "--device", device, "--sizes", "simulated", "--out", run, *options]
        command += [word for one in sets for word in ("--set", one)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(f"{scenario}: status {done.returncode}\n{done.stdout[-600:]}")
        shutil.rmtree(f"{run}/charts", ignore_errors=True)
        for name in ("samples.csv", "report.html", "rounds.csv"):
            pathlib.Path(run, name).unlink(missing_ok=True)


def compare(hardware, simulated, table):
    with open(table, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["scenario", "counter", "points", "agreeing", "furthest_pct", "hardware", "simulated", "at"])
        for scenario in SCENARIOS:
            if not pathlib.Path(hardware, scenario).is_dir():
                continue
            command = [PROGRAM, "compare", f"{hardware}/{scenario}", f"{simulated}/{scenario}", "--counters", "--json"]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                print(f"{scenario}: {done.stderr.strip()}")
                continue
            for own in json.loads(done.stdout)["counters"]:
                worst = own["worst"] or {"apart_pct": 0, "base": "", "other": "", "point": ""}
                apart = "" if worst["apart_pct"] is None else f"{worst['apart_pct']:.2f}"
                row = [scenario, own["counter"], own["points"], own["agreeing"], apart, worst["base"], worst["other"], worst["point"]]
                writer.writerow(row)


def main():
    what, *rest = sys.argv[1:]
    if what == "compare":
        compare(*rest)
    else:
        hardware = what == "hardware"
        options = ["--counters", "hardware", "--budget", "0.05"] if hardware else []
        sweep(rest[0], rest[1:], "cuda:0" if hardware else "sim:h200", options)


if __name__ == "__main__":
    main()
