#!/usr/bin/env bash
# Times the kernels of tests/gpu/foreign on a GPU of compute capability 9.0, as README.md says. Needs nvcc, and Python with CuPy and NumPy:
#
#     tests/gpu/foreign/run.sh OUT [--counters]
#
# OUT/times.csv has the times; with --counters, OUT/counters.csv has what Nsight Compute counts. ONLY, an expression that names launches,
# NVCC, NCU and PYTHON can be set in the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?the folder to write} python=${PYTHON:-python3} ncu=${NCU:-ncu}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{
    "$here/build.sh" "$scratch"
    "${NVCC:-nvcc}" -O3 -arch=sm_90 -cubin -o "$scratch/helpers.cubin" "$here/helpers.cu"
    cat "$scratch/registers.csv"
    (cd "$scratch" && sha256sum ./*.ptx)
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader || true
} >"$out/build.txt" 2>&1 || { cat "$out/build.txt" >&2; exit 1; }
"$python" "$here/measure.py" "$scratch" "$out/times.csv" --only "${ONLY:-}" 2>&1 | tee "$out/measure.log"
[[ ${2:-} == --counters ]] || exit 0

metrics=(
    smsp__inst_executed.sum
    smsp__thread_inst_executed.sum
    sm__cycles_elapsed.max
    gpu__time_duration.sum
    sm__warps_active.avg.pct_of_peak_sustained_active
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum
    lts__t_sectors.sum
    dram__bytes_read.sum
    dram__bytes_write.sum
)
list=$(IFS=,; echo "${metrics[*]}")
entries=$(tail -n +2 "$here/launches.csv" | cut -d, -f3 | sort -u | paste -sd'|')
"$ncu" --csv --page raw --print-units base --clock-control none --kernel-name "regex:^($entries)\$" --metrics "$list" \
    "$python" "$here/measure.py" "$scratch" --once --only "${ONLY:-}" >"$scratch/ncu.csv" 2>"$out/ncu.log" ||
    { tail "$scratch/ncu.csv" "$out/ncu.log" >&2; exit 1; }
"$python" "$here/counters.py" "$scratch/ncu.csv" "$out/counters.csv" "$list" --only "${ONLY:-}"
