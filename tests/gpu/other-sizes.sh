#!/usr/bin/env bash
# Measures scenarios at sizes between those of simulated devices and those of a GPU. No model was made from these points: what a
# simulated GPU says of them tells how far its times can be believed at sizes that nobody looked at.
#
#     tests/gpu/other-sizes.sh FOLDER [DEVICE]
#
# DEVICE is cuda:0 unless given; with sim:h200 the same points are simulated. APBENCH names the program, target/release/apbench unless set.
set -euo pipefail
folder=${1:?usage: tests/gpu/other-sizes.sh FOLDER [DEVICE]}
device=${2:-cuda:0}
apbench=${APBENCH:-target/release/apbench}
mkdir -p "$folder"
failed=0

sweep() {
    local scenario=$1
    shift
    local options=()
    for set in "$@"; do options+=(--set "$set"); done
    [[ -e $folder/$scenario ]] && return
    "$apbench" sweep "scenarios/$scenario.toml" --device "$device" --sizes simulated --out "$folder/$scenario" "${options[@]}" \
        >"$folder/$scenario.log" 2>&1 || { echo "$scenario: $(tail -n 2 "$folder/$scenario.log")" >&2; failed=1; }
}

sweep atomics elements=327680 addresses=1,8,64,1024,16384
sweep bank-conflicts width=448 word_bytes=4,16
sweep block-size-1d elements=4194304 multiply_adds=1 block=16,48,64,160,256,400,512,1024
sweep block-size-2d elements=1638400
sweep block-sync elements=811008 interval=1,4,20,100
sweep branching-remedies width=320 branches=1,3,8,24
sweep branching-unequal width=288 branches=1,4,16,31
sweep data-layout elements=589824
sweep elements-per-thread elements=3145728 elements_per_thread=1,4,16
sweep global-access width=1664,2080
sweep global-crossed width=1536
sweep global-stride width=1312 word_bytes=4,16
sweep global-sync elements=65536 interval=2,20,100
sweep partition-camping width=1024,1056,1536,1568
sweep shared-access width=640
sweep stencil-halo width=640
sweep sum-reordering elements=1048576
sweep transpose width=768,1536 tile=16,32
sweep transpose-rows width=960
sweep prefix-sum elements=3145728
sweep reduction elements=3145728
sweep trapezoid trapezoids=262144
exit "$failed"
