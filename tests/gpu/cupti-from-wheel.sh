#!/usr/bin/env bash
# Counting with the CUPTI of NVIDIA's wheel, with no toolkit in reach: where the library came from, its version, and what it counted.
#
#     python3 -m venv VENV && VENV/bin/pip install nvidia-cuda-cupti
#     tests/gpu/cupti-from-wheel.sh VENV [APBENCH]
#
# APBENCH is the program, target/release/apbench unless given. Needs a GPU whose counters may be read. Fails where another library is taken, or
# none, or a point is not counted.
set -euo pipefail
venv=$(realpath "${1:?usage: tests/gpu/cupti-from-wheel.sh VENV [APBENCH]}") apbench=$(realpath "${2:-target/release/apbench}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

libraries=$(compgen -G "$venv/lib/python*/site-packages/nvidia/*/lib/libcupti.so*") || { echo "error: $venv has no libcupti" >&2; exit 1; }
echo "in the wheel:"
sed 's/^/    /' <<<"$libraries"
for toolkit in /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda/lib64; do
    if compgen -G "$toolkit/libcupti.so*" >/dev/null; then
        echo "error: $toolkit has a libcupti, which comes before that of a wheel: hide it, as in a container without it" >&2
        exit 1
    fi
done

# Nothing of the environment that leads to another library. The loader's own folders are asked first, so its answer is looked at below.
status=0
env -u APBENCH_CUPTI -u CUDA_HOME -u CUDA_PATH -u CONDA_PREFIX -u LD_LIBRARY_PATH HOME="$work" VIRTUAL_ENV="$venv" \
    "$apbench" sweep branching --device cuda:0 --sizes simulated --set branches=1,2,4 --set operation=compute --budget 0.05 \
    --counters hardware --out "$work/run" >"$work/out" 2>"$work/errors" || status=$?
[ "$status" -eq 0 ] || { cat "$work/out" "$work/errors" >&2; exit 1; }
note=$(grep -m 1 -E '^note: (CUPTI|no hardware counters)' "$work/errors") || { cat "$work/errors" >&2; exit 1; }
echo "$note"
case $note in
    *"$venv"*) ;;
    *) echo "error: that is not the library of $venv" >&2; exit 1 ;;
esac

python3 - "$work/run" <<'PYTHON'
import csv, json, sys

run = sys.argv[1]
guards = {own["guard"]: own for own in json.load(open(f"{run}/run.json"))["guards"]}
print("hardware_counters:", guards["hardware_counters"]["detail"])
columns = ["variant", "branches", "warp_instructions", "active_lanes", "hw_l2_read_sectors", "hw_dram_read_bytes"]
rows = list(csv.DictReader(open(f"{run}/points.csv", newline="")))
print(*columns, sep="\t")
for row in rows:
    print(*(row[column] for column in columns), sep="\t")
if not rows or not all(row["warp_instructions"] for row in rows):
    sys.exit("error: points without counts")
PYTHON
