#!/bin/sh
# Kernels of one's own on a GPU: the scenarios of tests/kernels swept, verified under compute-sanitizer, and diagnosed with measured times.
#
#   sh tests/gpu/own-kernels.sh PROGRAM FOLDER
#
# Needs nvcc and compute-sanitizer. Leaves runs, diagnoses and what the sanitizer says in FOLDER.
set -u
program=$1
folder=$2
mkdir -p "$folder"
for name in histogram product; do
    "$program" sweep "tests/kernels/$name.toml" --out "$folder/$name" >"$folder/$name.log" 2>&1 || tail -5 "$folder/$name.log"
    "$program" diagnose "tests/kernels/$name.toml" --device cuda:0 --json >"$folder/$name-diagnosis.json"
    "$program" diagnose "tests/kernels/$name.toml" --device cuda:0 | tee "$folder/$name-diagnosis.txt"
    for tool in memcheck racecheck initcheck synccheck; do
        compute-sanitizer --tool $tool "$program" verify "tests/kernels/$name.toml" --device cuda:0 >"$folder/$name-$tool.txt" 2>&1
        echo "$name $tool: status $?, $(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$folder/$name-$tool.txt" | tail -1)"
    done
done
