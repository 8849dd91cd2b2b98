#!/usr/bin/env bash
# Kernels as people write them, each with its remedy done by hand (`tests/gpu/diagnosis/remedies`): what they take on a GPU. They were written by
# somebody who did not make the diagnosis, and give it no constant. `remedies.py` holds the gains against the predicted ones.
#
#   tests/gpu/diagnosis/remedies.sh OUT [APBENCH [DEVICE]]
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
mkdir -p "$out"
for scenario in tests/gpu/diagnosis/remedies/*.toml; do
    name=$(basename "$scenario" .toml)
    timeout 60 "$apbench" sweep "$scenario" --device "$device" --rounds 5 --quiet --out "$out/$name" || echo "$name: status $?"
done
