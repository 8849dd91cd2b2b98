"""Runs the launches of launches.csv on a simulated GPU: see README.md.

    simulate.py BUILD SIMULATED.csv [--only EXPRESSION] [--gpu-profile h200] [--warm] [--estimated-registers] [--program LAUNCH]
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy

from table import Buffer, checksum, launches

PROGRAM = "target/release/examples/launch"


def argument(value, place, folder):
    """The option that passes an argument."""
    if not isinstance(value, Buffer):
        kind, number = value
        return f"{kind}:{number}"
    if value.fill == "zero":
        return f"buffer:{value.bytes}"
    path = os.path.join(folder, f"{place}.in")
    value.data().tofile(path)
    return f"file:{path}"


def simulated(launch, options, registers, folder):
    def words(repeated):
        command = [options.program, f"{options.build}/{launch.file}.ptx", launch.entry, "--gpu-profile", options.gpu_profile]
        command += ["--grid", ",".join(map(str, launch.grid)), "--block", ",".join(map(str, launch.block))]
        command += ["--shared", str(launch.shared), "--launches", str(repeated)]
        if not options.estimated_registers:
            command += ["--registers", registers[launch.entry]]
        return command

    given = [word for place, value in enumerate(launch.arguments) for word in ("--argument", argument(value, place, folder))]
    outputs = [(place, value) for place, value in enumerate(launch.arguments) if isinstance(value, Buffer) and value.written]
    saved = [word for place, _ in outputs for word in ("--save", f"{place}={folder}/{place}.out")]
    begin = time.monotonic()
    told = subprocess.run(words(1) + given + saved, check=True, capture_output=True, text=True).stdout
    seconds = time.monotonic() - begin
    found = dict(re.findall(r"^(\S+) +(\S+)", told, re.MULTILINE))
    sums = checksum([numpy.fromfile(f"{folder}/{place}.out", value.type) for place, value in outputs])
    if options.warm:
        told = subprocess.run(words(2) + given, check=True, capture_output=True, text=True).stdout
        found["warm"] = dict(re.findall(r"^(\S+) +(\S+)", told, re.MULTILINE))["time"]
    found.update(seconds=f"{seconds:.2f}", sum=repr(sums[0]), sum_of_sizes=repr(sums[1]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("table")
    parser.add_argument("--only")
    parser.add_argument("--gpu-profile", default="h200")
    parser.add_argument("--warm", action="store_true", help="also the time of a second launch")
    parser.add_argument("--estimated-registers", action="store_true", help="registers as the simulator estimates them")
    parser.add_argument("--program", default=PROGRAM, help=f"the example `launch`, {PROGRAM} unless given")
    options = parser.parse_args()
    with open(f"{options.build}/registers.csv", newline="") as file:
        registers = {row["entry"]: row["registers"] for row in csv.DictReader(file)}
    names = {
        "cold_us": "time", "warm_us": "warm", "bound": "bound", "blocks_per_sm": "blocks_per_sm",
        "warp_instructions": "warp_instructions", "thread_instructions": "thread_instructions",
        "sum": "sum", "sum_of_sizes": "sum_of_sizes", "seconds": "seconds",
    }
    failed = 0
    with open(options.table, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["name", *names])
        for launch in launches(options.only):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found = simulated(launch, options, registers, folder)
                except subprocess.CalledProcessError as error:
                    print(f"{launch.name}: {error.stderr.strip()}", file=sys.stderr)
                    failed += 1
                    continue
            table.writerow([launch.name, *(found.get(name, "") for name in names.values())])
            file.flush()
            print(f"{launch.name:32} {found['time']:>10} us {found['bound']:>14} in {found['seconds']:>6} s", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
