#!/usr/bin/env bash
# Compiles the kernels to PTX, and that to machine code of sm_90: tests/gpu/foreign/build.sh OUT
#
# OUT gets FILE.ptx, FILE.cubin, and registers.csv with what ptxas says of each kernel. NVCC can be set in the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?the folder to write} nvcc=${NVCC:-nvcc}
mkdir -p "$out"
nvcc=$(command -v "$nvcc")
ptxas=$(dirname "$nvcc")/ptxas
echo entry,registers >"$out/registers.csv"
for source in "$here"/kernels/*.cu; do
    name=$out/$(basename "$source" .cu)
    "$nvcc" -O3 -arch=compute_90 -ptx -o "$name.ptx" "$source"
    "$ptxas" -v -arch=sm_90 -o "$name.cubin" "$name.ptx" 2>&1 |
        sed -nE "s/.*Compiling entry function '(.*)' for.*/\1/p; s/.*Used ([0-9]+) registers.*/\1/p" | paste -d, - - >>"$out/registers.csv"
done
"$nvcc" --version | tail -1
