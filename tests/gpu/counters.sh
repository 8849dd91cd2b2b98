#!/usr/bin/env bash
# What Nsight Compute counts for launches of the branching kernels, as a table to hold the simulated device against:
#
#     tests/gpu/counters.sh results/nvidia-h200/counters.csv
#
# Needs a GPU whose counters may be read, ncu on the PATH, and target/release/apbench (or APBENCH). It takes about three
# minutes. tests/suite/counters.rs compares the table with what the simulated device counts.
set -euo pipefail
table=${1:?usage: tests/gpu/counters.sh TABLE.csv}
apbench=${APBENCH:-target/release/apbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

metrics=(
    smsp__inst_executed.sum
    smsp__thread_inst_executed.sum
    l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
    smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum
    smsp__sass_branch_targets.sum
    smsp__sass_branch_targets_threads_divergent.sum
    smsp__inst_executed_pipe_adu.sum
    sm__cycles_elapsed.max
)
list=$(IFS=,; echo "${metrics[*]}")

echo "operation,arithmetic,branches,work,work_per_branch,width,block,$list" > "$table"
point() {
    local sets=(operation="$1" arithmetic="$2" branches="$3" work="$4" work_per_branch="$5" width="$6" block="$7")
    local options=()
    for set in "${sets[@]}"; do options+=(--set "$set"); done
    ncu --csv --page raw --clock-control none --kernel-name regex:branching --launch-count 1 --metrics "$list" \
        "$apbench" sweep scenarios/branching.toml --device cuda:0 --profiler-run "${options[@]}" > "$work/ncu.csv" 2> "$work/errors" ||
        { cat "$work/ncu.csv" "$work/errors" >&2; return 1; }
    python3 - "$work/ncu.csv" "$list" "$(IFS=,; echo "$*")" >> "$table" << 'PYTHON'
import csv, sys
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
rows = list(csv.reader(lines))
header, values = rows[0], rows[-1]
found = dict(zip(header, values))
print(sys.argv[3] + "," + ",".join(found[name].replace(",", "") for name in sys.argv[2].split(",")))
PYTHON
}

for operation in compute convolution; do
    for branches in 1 2 5 8 16 32; do point "$operation" integer "$branches" 16 equal 512 256; done
done
point compute float 4 16 equal 512 256
point compute integer 4 1 equal 512 256
point convolution integer 4 1 equal 512 256
point compute integer 8 4 ascending 512 256
point compute integer 4 16 equal 509 96
point convolution integer 4 16 equal 509 96
