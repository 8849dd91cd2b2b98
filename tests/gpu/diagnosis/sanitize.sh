#!/usr/bin/env bash
# The kernels of tests/kernels under compute-sanitizer, and their machine code.
#
#   tests/gpu/diagnosis/sanitize.sh OUT [APBENCH [DEVICE]]
#
# Writes what each tool says to OUT/sanitizer.txt and, where cuobjdump is there, the instructions of each kernel with their numbers to
# OUT/instructions.txt.
set -euo pipefail
out=${1:?the folder to write} apbench=${2:-target/release/apbench} device=${3:-cuda:0}
mkdir -p "$out"
declare -A small=([classes]="n=65536" [softmax]="rows=64" [filling]="blocks=264" [uneven]="blocks=264")
for kernel in "${!small[@]}"; do
    for tool in memcheck racecheck synccheck initcheck; do
        echo "$kernel $tool"
        compute-sanitizer --tool "$tool" "$apbench" sweep "tests/kernels/$kernel.toml" --device "$device" \
            --out "$out/$kernel-$tool" --set "${small[$kernel]}" --rounds 1 --budget 0.01 2>&1 | tail -1
        rm -rf "$out/$kernel-$tool"
    done
done >"$out/sanitizer.txt"
if command -v cuobjdump >/dev/null; then
    for kernel in "${!small[@]}"; do
        nvcc -arch=native -cubin -o "$out/$kernel.cubin" "tests/kernels/$kernel.cu"
        cuobjdump --dump-sass "$out/$kernel.cubin" >"$out/$kernel.sass"
        awk -v file="$kernel" '/Function :/ { name = $3 }
            /^ +\/\*[0-9a-f]{4}\*\// { sub(/;.*/, ""); own = ($2 ~ /^@/) ? $3 : $2; count[name " " own]++ }
            END { for (key in count) print file, key, count[key] }' "$out/$kernel.sass" | sort
        rm "$out/$kernel.cubin"
    done >"$out/instructions.txt"
fi
