#!/usr/bin/env bash
# A table made by one warp of each block against one made by all of them (`tests/kernels/uneven.toml`), measured.
#
#   tests/gpu/diagnosis/uneven.sh OUT [APBENCH [DEVICE]]
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
"$apbench" verify tests/kernels/uneven.toml --device "$device"
"$apbench" sweep tests/kernels/uneven.toml --device "$device" --out "$out/uneven"
"$apbench" diagnose tests/kernels/uneven.toml --device "$device" --set blocks=1056 --set turns=256
