#!/usr/bin/env bash
# Measures the same launches with apbench and with NVBench's Python package, at the defaults of both, and puts the times
# side by side in OUT/agreement.csv and OUT/walltime.csv.
#
#   tests/gpu/nvbench/compare.sh APBENCH OUT [WHEELS]
#
# It needs a GPU and Python 3. Where Python has no cuda.bench, WHEELS is a folder with the wheels of cuda-bench,
# cuda-bindings and cuda-pathfinder for it. At most seven minutes; nothing about the GPU is changed. The order is apbench,
# NVBench, apbench, NVBench, so that it is seen what either repeats to.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
apbench=$(realpath "${1:?the program}") out=${2:?the folder to write} wheels=${3:-}
kinds="compute memory tiny"
seconds_in_all=400
python=${PYTHON:-python3}
mkdir -p "$out/logs" && out=$(realpath "$out") || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

if ! "$python" -c 'import cuda.bench; cuda.bench.State' 2>"$out/logs/import.log"; then
    for wheel in "$wheels"/*.whl; do
        [ -e "$wheel" ] || { echo "error: no cuda.bench ($(tail -n 1 "$out/logs/import.log")), and no wheels in ${wheels:-WHEELS}" >&2; exit 1; }
        "$python" -m zipfile -e "$wheel" "$scratch/packages" || { echo "error: $wheel cannot be unpacked" >&2; exit 1; }
    done
    export PYTHONPATH=$scratch/packages${PYTHONPATH:+:$PYTHONPATH}
    if ! "$python" -c 'import cuda.bench; cuda.bench.State' 2>"$out/logs/import.log"; then
        echo "error: cuda.bench cannot be loaded from $wheels:" >&2
        tail -n 3 "$out/logs/import.log" >&2
        exit 1
    fi
fi

echo step,status,wall_s >"$out/steps.csv"
# step NAME SECONDS COMMAND...: runs the command within a time; its output goes to logs/NAME.log.
step() {
    local name=$1 limit=$2 left=$((seconds_in_all - SECONDS)) began status wall_s
    shift 2
    if [ "$left" -lt 5 ]; then
        echo "skipped: $name, for lack of time" >&2
        echo "$name,skipped," >>"$out/steps.csv"
        return 1
    fi
    began=$EPOCHREALTIME
    timeout --kill-after=5 "$((limit < left ? limit : left))" "$@" >"$out/logs/$name.log" 2>&1
    status=$?
    wall_s=$(awk "BEGIN { print $EPOCHREALTIME - $began }")
    echo "$name,$status,$wall_s" >>"$out/steps.csv"
    echo "$name: status $status, $wall_s s"
    [ "$status" = 0 ] || tail -n 3 "$out/logs/$name.log" >&2
    return "$status"
}
# What the GPU did at this moment; reads only.
sensors() {
    nvidia-smi --id=0 --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv,noheader 2>/dev/null |
        sed "s/^/$1, /" >>"$out/sensors.csv"
}
sweeps() {
    for kind in $kinds; do
        for flush in memset clean; do
            step "apbench-$1-$flush-$kind" 45 "$apbench" sweep "$here/$kind.toml" --device cuda:0 \
                --sampling cold --flush "$flush" --out "$out/apbench/$1/$flush/$kind"
            rm -f "$out/apbench/$1/$flush/$kind/samples.csv"
        done
        sensors "apbench-$1-$kind"
    done
}

echo "step, clocks.sm, clocks.mem, temperature.gpu, power.draw" >"$out/sensors.csv"
for kind in $kinds; do
    step "export-$kind" 60 "$apbench" export "$here/$kind.toml" --device cuda:0 --out "$scratch/$kind"
done
sweeps first
for kind in $kinds; do
    step "nvbench-$kind" 140 "$python" "$here/measure.py" "$scratch/$kind" "$out/nvbench/$kind"
    sensors "nvbench-$kind"
done
sweeps second
# As many rounds as take half of NVBench's time, for the points that repeat less well without.
for turn in first second; do
    for kind in $kinds; do
        step "apbench-$turn-long-$kind" 60 "$apbench" sweep "$here/$kind.toml" --device cuda:0 \
            --sampling cold --flush memset --rounds 24 --out "$out/apbench/$turn/long/$kind"
        rm -f "$out/apbench/$turn/long/$kind/samples.csv"
    done
done
for kind in $kinds; do
    step "nvbench-again-$kind" 140 "$python" "$here/measure.py" "$scratch/$kind" "$out/nvbench-again/$kind"
    sensors "nvbench-again-$kind"
done
"$python" "$here/tables.py" "$out"
