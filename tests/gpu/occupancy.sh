#!/usr/bin/env bash
# What limits the kernels of every family: by the driver of an NVIDIA GPU, and on the simulated device of the same kind.
#
#   tests/gpu/occupancy.sh [APBENCH [DEVICE [SIMULATED]]]
#
# APBENCH is the program, target/release/apbench unless given; DEVICE is cuda:0 and SIMULATED sim:h200 unless given. Every family at
# its defaults and with other sizes of the block, as far as it takes them. Prints a table; fails where the driver counts other blocks than
# the rule, or where the two devices differ in registers, resident blocks or waves.
set -uo pipefail
apbench=${1:-target/release/apbench} device=${2:-cuda:0} simulated=${3:-sim:h200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Status 4 says that driver and rule differ, which the table shows; 2 that the family does not take this block.
ask() {
    local file=$1 status=0
    shift
    "$apbench" occupancy "$@" --json --device "$device" >"$work/$file.real" 2>"$work/errors" || status=$?
    [ "$status" -eq 2 ] && { rm "$work/$file.real"; return 0; }
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ] || { cat "$work/errors" >&2; return 1; }
    "$apbench" occupancy "$@" --json --device "$simulated" >"$work/$file.sim" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }
}

failures=0
for family in $("$apbench" list --json | python3 -c 'import json, sys; print(*[family["name"] for family in json.load(sys.stdin)["families"]])'); do
    ask "$family" "$family" || failures=$((failures + 1))
    for block in 32 96 128 256 512 1024; do
        ask "$family-$block" "$family" --set "block=$block" || failures=$((failures + 1))
    done
done

python3 - "$work" <<'PYTHON' || failures=$((failures + 1))
import glob, json, sys
rows, wrong = set(), 0
for path in sorted(glob.glob(sys.argv[1] + "/*.real")):
    real, sim = json.load(open(path)), json.load(open(path[:-5] + ".sim"))
    if len(real["points"]) != len(sim["points"]):
        wrong += 1
        print(f"{path}: {len(real['points'])} points, {len(sim['points'])} simulated")
    for one, other in zip(real["points"], sim["points"]):
        name = f"{real['family']}/{one['variant']}"
        if len(one["kernels"]) != len(other["kernels"]):
            wrong += 1
            print(f"{name}: {one['problem']} and {other['problem']}")
        for kernel, model in zip(one["kernels"], other["kernels"]):
            keys = ["kernel", "threads_per_block", "registers_per_thread", "blocks_per_sm", "waves"]
            differ = [key for key in keys if kernel[key] != model[key]] + (["driver"] if kernel["differs"] else [])
            rows.add((name, kernel["kernel"], kernel["threads_per_block"], kernel["registers_per_thread"], model["registers_per_thread"],
                      kernel["driver_blocks_per_sm"], kernel["limited_by"] or kernel["problem"], model["blocks_per_sm"],
                      f"{kernel['waves'] or 0:.3f}", f"{model['waves'] or 0:.3f}", "DIFFER: " + ", ".join(differ) if differ else "same"))
header = ("family/variant", "kernel", "threads", "registers", "simulated", "blocks", "limit", "simulated", "waves", "simulated", "")
table = [header] + sorted(rows)
widths = [max(len(str(row[column])) for row in table) for column in range(len(header))]
for row in table:
    print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
wrong += sum(row[-1] != "same" for row in rows)
print(f"{len(rows)} kernels, {wrong} differences")
sys.exit(bool(wrong or not rows))
PYTHON
exit "$((failures > 0))"
