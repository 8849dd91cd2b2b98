#!/usr/bin/env bash
# Times the best rungs of the ladders beside CUB's functions, and prefix sums and transpositions beside copies, in one process, and says whether
# the targets are reached: see README.md. Run it from the repository's root, on a machine with a GPU, CUDA's nvcc and Python 3, after
# `cargo build --release`.
#
#   tests/gpu/cub/run.sh OUT [APBENCH]
#
# OUT/cub.csv has a row for each kernel, size and what it is held against. SIZES (powers of two), ELEMENTS (any numbers, `random` for 40 of
# sizes.py), WIDTHS (numbers, or `random` for 60 of widths.py), SEED of what is drawn (1), LADDERS (reduction, prefix-sum, histogram, transpose) and
# NVCC can be set in the environment:
# ELEMENTS="random 100000000" LADDERS=reduction tests/gpu/cub/run.sh OUT.
# OUT/cub.txt has the same as text; its first line names the day and the versions of nvcc and CUB.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?the folder to write} apbench=${2:-target/release/apbench} nvcc=${NVCC:-nvcc} sizes=${SIZES:-24 26 28 30} seed=${SEED:-1}
widths=${WIDTHS:-2048 2049 2080 2500 3001 4064 4096 4097 5001 6007 6112 8160 8191 8192 10001 12289 12320 16383 16384}
if [[ $widths == random ]]; then widths=$(python3 "$here/widths.py" "$seed" | sort -nu | paste -sd' '); fi
# One space between widths, which become a list with commas.
read -ra given <<<"$widths" && widths="${given[*]}"
mkdir -p "$out" && out=$(realpath "$out")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$nvcc" -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC -o "$scratch/cub.so" "$here/cub.cu" >"$out/nvcc.log" 2>&1 &
compiler=$!

if [[ -n ${ELEMENTS-} ]]; then
    elements=$(for own in $ELEMENTS; do if [[ $own == random ]]; then python3 "$here/sizes.py" "$seed"; else echo "$own"; fi; done | sort -nu | paste -sd,)
else
    elements=$(for power in $sizes; do echo $((1 << power)); done | paste -sd,)
fi
# Only the launches are needed: inputs are filled on the GPU.
export_points() {
    local sizes="elements=$elements"
    if [[ $1 == transpose ]]; then sizes="width=${widths// /,}"; fi
    "$apbench" export "$here/$1.toml" --device cuda:0 --no-data --set "$sizes" --out "$scratch/exports/$1" >/dev/null
}
for ladder in ${LADDERS:-reduction prefix-sum histogram transpose}; do export_points "$ladder"; done
wait "$compiler" || { tail "$out/nvcc.log" >&2; exit 1; }
"${PYTHON:-python3}" "$here/compare.py" "$scratch/exports" "$scratch/cub.so" "$out/cub.csv" | tee "$out/cub.txt"
