#!/bin/sh
# Families of the program against the same kernels described in scenarios, on a GPU: both must take the same time.
#
#   sh tests/gpu/user-kernels.sh PROGRAM FOLDER
#
# SWEEP_OPTIONS="--rounds 7" in the environment measures for longer. APBENCH_NVCC has the scenarios compiled by the compiler that compiled the families.
# Leaves the runs in FOLDER, and what `apbench compare` says of each pair in FOLDER/compared.txt.
set -eu
program=$1
folder=$2
mkdir -p "$folder"
for name in transpose data-layout shared-access; do
    "$program" sweep "scenarios/$name.toml" ${SWEEP_OPTIONS-} --out "$folder/$name" >"$folder/$name.log" 2>&1 || cat "$folder/$name.log"
    "$program" sweep "tests/kernels/$name.toml" ${SWEEP_OPTIONS-} --out "$folder/$name-user" >"$folder/$name-user.log" 2>&1 ||
        cat "$folder/$name-user.log"
    "$program" compare "$folder/$name" "$folder/$name-user" | tee -a "$folder/compared.txt"
done
