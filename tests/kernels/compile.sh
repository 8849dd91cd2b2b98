#!/bin/sh
# Writes tests/kernels/*.ptx of the .cu files beside them anew, for tests on machines without a compiler. Needs nvcc.
#
#   NVCC=/path/to/nvcc sh tests/kernels/compile.sh
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
    name=${source%.cu}
    "${NVCC:-nvcc}" -ptx -lineinfo -arch=compute_75 -o "$name.ptx" "$source"
    hash=$(sha256sum "$source" | cut -d ' ' -f 1)
    sed -i "1i // of $source, SHA-256 $hash" "$name.ptx"
    sed -i 's|\(\.file[^"]*"\)[^"]*/\([^/"]*"\)|\1\2|' "$name.ptx"
done
