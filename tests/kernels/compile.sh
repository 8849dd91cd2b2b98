#!/bin/sh
# Writes tests/kernels/transposition.ptx anew, for tests on machines without a compiler. Needs nvcc.
#
#   NVCC=/path/to/nvcc sh tests/kernels/compile.sh
set -eu
cd "$(dirname "$0")"
"${NVCC:-nvcc}" -ptx -lineinfo -arch=compute_75 -o transposition.ptx transposition.cu
hash=$(sha256sum transposition.cu | cut -d ' ' -f 1)
sed -i "1i // of transposition.cu, SHA-256 $hash" transposition.ptx
sed -i 's|\(\.file[^"]*"\)[^"]*/\(transposition\.cu"\)|\1\2|' transposition.ptx
