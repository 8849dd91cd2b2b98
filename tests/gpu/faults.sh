#!/usr/bin/env bash
# A sweep on an NVIDIA GPU with a kernel that faults and one that never ends: their points fail, the others are measured.
#
#   tests/gpu/faults.sh build FAULTY     on a machine with Rust: builds the program FAULTY with such kernels
#   tests/gpu/faults.sh run FAULTY       on a machine with a GPU
#
# In FAULTY, the integer kernel of the branching family writes to address 16 where `work` is 7, and spins for ever where it is 9.
set -euo pipefail
action=${1:?build or run} faulty=${2:?the program}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

build() {
    cp -r Cargo.toml Cargo.lock build.rs crates cuda src scenarios README.md "$scratch"
    mkdir "$scratch/tests" && cp -r tests/bench tests/suite "$scratch/tests"
    sed '/^\tld.param.u32 \t%r[0-9]*, \[branching_compute_integer_param_4\];/{
        h
        s/.*\(%r[0-9]*\),.*/\t.reg .pred %fault; .reg .pred %spin; .reg .b64 %nowhere; mov.u64 %nowhere, 16;\n\tsetp.eq.u32 %fault, \1, 7; @%fault st.global.u32 [%nowhere], \1; setp.eq.u32 %spin, \1, 9;\n$FOREVER: @%spin nanosleep.u32 1000; @%spin bra $FOREVER;/
        x
        G
    }' cuda/ptx/branching.sm_70.ptx >"$scratch/cuda/ptx/branching.sm_70.ptx"
    cmp -s cuda/ptx/branching.sm_70.ptx "$scratch/cuda/ptx/branching.sm_70.ptx" && { echo "error: the kernel was not found" >&2; exit 1; }
    target=${CARGO_TARGET_DIR:-$PWD/target/faulty}
    (cd "$scratch" && APBENCH_NVCC=none CARGO_TARGET_DIR=$target cargo build --locked --bin apbench)
    strip -o "$faulty" "$target/debug/apbench"
}

run() {
    cat >"$scratch/faults.toml" <<'TOML'
family = "branching"
variants = ["divergent"]
[grid]
operation = "compute"
width = 512
work = [5, 6, 7, 8, 9, 10, 11]
branches = 4
TOML
    local status=0
    "$faulty" sweep "$scratch/faults.toml" --device cuda:0 --point-timeout 5s --out "$scratch/run" || status=$?
    python3 - "$scratch/run/points.csv" "$status" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for row in rows:
    print(row["point"], f"work={row['work']}", row["status"], row["time_us"], row["reason"])
status = {row["work"]: row["status"] for row in rows}
assert sys.argv[2] == "4", f"status {sys.argv[2]}"
assert status == {work: "failed" if work in ("7", "9") else "ok" for work in ("5", "6", "7", "8", "9", "10", "11")}, status
print("the two bad points failed, the others were measured")
PYTHON
}

"$action"
