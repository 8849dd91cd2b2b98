#!/usr/bin/env bash
# Measures what some constants of a simulated GPU come from, by the GPU's own counters: which stores become one on their way to
# L2, and which sectors L2 reads because they stay incomplete.
#
#     tests/gpu/constants/counted/run.sh OUT [NAME...]
#
# Each .cu here is a program that writes a row for each of its launches; the counters of these stand behind it in OUT/NAME.csv. Needs a GPU
# whose counters may be read, nvcc, and ncu on the PATH. Takes about two minutes on an H200.
set -euo pipefail
out=${1:?the folder to write}
shift
here=$(dirname "$0")
sources=()
for name in "$@"; do sources+=("$here/$name.cu"); done
if [[ $# -eq 0 ]]; then sources=("$here"/*.cu); fi
metrics=(
    lts__t_sectors_op_write.sum
    lts__t_requests_srcunit_tex_op_write.sum
    l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
    dram__bytes_read.sum
    dram__bytes_write.sum
    gpu__time_duration.sum
)
list=$(IFS=,; echo "${metrics[*]}")
mkdir -p "$out"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for source in "${sources[@]}"; do
    name=$(basename "$source" .cu)
    nvcc -O3 -std=c++17 -arch=native -I "$here/../../../../cuda" -o "$folder/$name" "$source"
    ncu --csv --page raw --print-units base --clock-control none --metrics "$list" --log-file "$folder/$name.ncu" "$folder/$name" >"$folder/$name.rows"
    python3 "$here/join.py" "$folder/$name.rows" "$folder/$name.ncu" "$list" >"$out/$name.csv"
    echo "$name: $(($(wc -l <"$out/$name.csv") - 1)) rows"
done
