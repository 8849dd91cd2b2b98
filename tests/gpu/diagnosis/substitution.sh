#!/usr/bin/env bash
# A table in constant memory, whose places lanes read at once, against the same in shared and in global memory (`tests/kernels/substitution.toml`),
# measured.
#
#   tests/gpu/diagnosis/substitution.sh OUT [APBENCH [DEVICE]]
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
"$apbench" sweep tests/kernels/substitution.toml --device "$device" --out "$out/substitution"
"$apbench" diagnose tests/kernels/substitution.toml --device "$device" --set blocks=1056 --set places=256 --set turns=256
