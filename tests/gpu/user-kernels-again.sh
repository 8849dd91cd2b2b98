#!/bin/sh
# The points of tests/gpu/user-kernels.sh that differed, three times in turn: what two processes with the same kernels differ by, too.
#
#   [ROUNDS=15] sh tests/gpu/user-kernels-again.sh PROGRAM FOLDER
set -eu
program=$1
folder=$2
rounds=${ROUNDS:-15}
mkdir -p "$folder"
for turn in 1 2 3; do
    for from in scenarios tests/kernels; do
        out=$folder/$(basename "$from")-$turn
        "$program" sweep "$from/transpose.toml" --set width=1024,2048 --rounds "$rounds" --out "$out-transpose" >/dev/null 2>&1
        "$program" sweep "$from/data-layout.toml" --rounds "$rounds" --out "$out-data-layout" >/dev/null 2>&1
    done
done
for name in transpose data-layout; do
    "$program" compare --all "$folder/scenarios-1-$name" "$folder/scenarios-2-$name" "$folder/scenarios-3-$name" \
        "$folder/kernels-1-$name" "$folder/kernels-2-$name" "$folder/kernels-3-$name"
done
