#!/usr/bin/env bash
# Fetches NVIDIA's assembler ptxas of four CUDA toolkits, from NVIDIA's Python wheels, for the test `ptxas`:
#
#     tests/ptx/fetch-ptxas.sh [FOLDER]
#
# FOLDER is target/ptxas unless given; each lies in FOLDER/VERSION/ptxas. What is there already is left alone. Needs Python with pip,
# and 600 MB of downloads at most, of which 110 MB are kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-target/ptxas}
mkdir -p "$folder"

for wheel in 11.8=nvidia-cuda-nvcc-cu11 12.0=nvidia-cuda-nvcc-cu12 12.4=nvidia-cuda-nvcc-cu12 13.0=nvidia-cuda-nvcc; do
    version=${wheel%%=*}
    [[ -x $folder/$version/ptxas ]] && continue
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --platform manylinux2014_x86_64 \
        --platform manylinux1_x86_64 --platform manylinux_2_17_x86_64 --dest "$scratch" "${wheel#*=}==$version.*"
    python3 -m zipfile -e "$scratch"/*.whl "$scratch/unpacked"
    assembler=$(find "$scratch/unpacked" -name ptxas -type f)
    chmod 755 "$assembler"
    # The text is read whole: grep -q would close a pipe while ptxas still writes, and that ends the script now and then.
    says=$("$assembler" --version)
    [[ $says == *"release $version"* ]] || { echo "the ptxas of ${wheel#*=} is not $version; it says: $says" >&2; exit 1; }
    mkdir -p "$folder/$version"
    mv "$assembler" "$folder/$version/ptxas"
    rm -rf "$scratch"
    trap - EXIT
done
