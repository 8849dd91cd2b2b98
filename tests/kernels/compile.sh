#!/bin/sh
# Writes the PTX beside each kernel anew, for tests on machines without a compiler. Needs nvcc.
#
#   NVCC=/path/to/nvcc sh tests/kernels/compile.sh
set -eu
cd "$(dirname "$0")"
for name in transposition histogram product; do
    "${NVCC:-nvcc}" -ptx -lineinfo -arch=compute_75 -o "$name.ptx" "$name.cu"
    hash=$(sha256sum "$name.cu" | cut -d ' ' -f 1)
    sed -i "1i // of $name.cu, SHA-256 $hash" "$name.ptx"
    sed -i 's|\(\.file[^"]*"\)[^"]*/\([^/"]*"\)|\1\2|' "$name.ptx"
done
