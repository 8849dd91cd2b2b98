#!/usr/bin/env bash
# Runs the README's main job on a machine that has nothing: a fresh Debian without a compiler, without Rust and without a network.
#
#     tests/release/empty-machine.sh ARCHIVE.tar.gz WHEEL.whl
#
# Makes the machine with debootstrap in a temporary folder, unpacks the archive into a copy of it and installs the wheel into
# another, whose only additions are Python and pip. Prints sizes and times. Needs root and Debian's package debootstrap.
set -euo pipefail
(($# == 2)) || { echo "usage: tests/release/empty-machine.sh ARCHIVE.tar.gz WHEEL.whl" >&2; exit 2; }
archive=$(realpath "$1")
wheel=$(realpath "$2")
suite=${DEBIAN_SUITE:-bookworm}
command -v debootstrap >/dev/null || { apt-get update --quiet=2 && apt-get install --quiet=2 --yes debootstrap; }

folder=$(mktemp -d)
root="$folder/root"
mounted=
clean_up() {
    [[ -z $mounted ]] || umount "$root/proc"
    rm -rf --one-file-system "$folder"
}
trap clean_up EXIT

# Runs a command in the root, in an empty folder, with no environment and no network.
inside() {
    env --ignore-environment PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 \
        unshare --net "$(command -v chroot)" "$root" sh -ec 'mkdir -p /scratch && cd /scratch && "$@"' sh "$@"
}

# Runs a command and prints what it took.
timed() {
    local name=$1 start end
    shift
    start=$(date +%s%N)
    "$@" >"$folder/output" 2>&1 || { cat "$folder/output" >&2; echo "$name failed" >&2; exit 1; }
    end=$(date +%s%N)
    awk -v name="$name" -v start="$start" -v end="$end" 'BEGIN { printf "%-44s %7.1f s\n", name, (end - start) / 1e9 }'
}

megabytes() {
    awk -v name="$1" -v bytes="$(du --summarize --bytes "$2" | cut --fields 1)" 'BEGIN { printf "%-44s %7.1f MB\n", name, bytes / 1e6 }'
}

# The main job, as the README has it, and that no GPU and no tool was there.
main_job() {
    local program=$1
    inside sh -c 'for tool in cc gcc cargo rustc nvcc; do ! command -v $tool || exit 1; done' ||
        { echo "the machine is not empty" >&2; exit 1; }
    timed 'first start: apbench --version' inside "$program" --version
    timed 'apbench sweep scenarios/branching.toml' inside "$program" sweep scenarios/branching.toml --out run
    grep --quiet 'simulated' "$folder/output"
    tail -n 1 "$folder/output"
    timed 'apbench fit run' inside "$program" fit run
    grep --quiet 'holds' "$folder/output"
    [[ -s $root/scratch/run/report.html && -s $root/scratch/run/points.csv ]]
    rm -r "$root/scratch"
}

timed 'debootstrap' debootstrap --variant=minbase "$suite" "$root"
mkdir -p "$root/proc"
mount --types proc proc "$root/proc"
mounted=1
megabytes 'the empty machine' "$root/usr"

echo
megabytes 'archive' "$archive"
mkdir "$root/opt/apbench"
timed 'tar --extract' tar --extract --file "$archive" --directory "$root/opt/apbench" --strip-components 1 --no-same-owner
megabytes 'unpacked' "$root/opt/apbench"
main_job /opt/apbench/apbench
rm -r "$root/opt/apbench"

echo
megabytes 'wheel' "$wheel"
timed 'apt-get install python3-venv' chroot "$root" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends python3-venv'
cp "$wheel" "$root/tmp/"
timed 'python3 -m venv' inside python3 -m venv /opt/environment
timed 'pip install, without a network' inside /opt/environment/bin/pip install --no-index --quiet "/tmp/$(basename "$wheel")"
megabytes 'installed' "$root/opt/environment/bin/apbench"
main_job /opt/environment/bin/apbench
timed 'apbench.sweep in Python' inside /opt/environment/bin/python -c '
import apbench
run = apbench.sweep("branching", device="sim:h200", set={"branches": [1, 2, 4, 8], "width": 64})
print(len(apbench.read(run)), "points")'
tail -n 1 "$folder/output"
