#!/usr/bin/env bash
# What building and testing from nothing takes: wall time, processor time of all processes, disk.
#
#     tests/bench/build-time.sh [release|test]...
#
# `release` is `cargo build --release`; `test` is `cargo test`, its compiling and its running apart. Without a word, both.
# Each gets a target folder of its own, which is removed again. Sources are downloaded before the clock starts. A figure beyond its
# limit is marked, and the exit status is 1 then; the limits are for two idle cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# Runs a command and prints a line: its name, wall time, processor time, size of the target folder. The limits are in seconds.
measure() {
    local name=$1 most_wall=$2 most_processor=$3 TIMEFORMAT='%R %U %S' mark='' wall user system
    shift 3
    if ! { time "$@" >"$folder/output" 2>&1; } 2>"$folder/times"; then
        tail -n 50 "$folder/output" >&2
        echo "$name failed" >&2
        exit 1
    fi
    read -r wall user system <"$folder/times"
    local processor=$((${user%.*} + ${system%.*} + 1))
    seconds=$((${wall%.*} + 1))
    if ((seconds > most_wall || processor > most_processor)); then
        mark="  more than $most_wall s, $most_processor s"
        status=1
    fi
    printf '%-16s %6d s  %9d s  %6d MB%s\n' "$name" "$seconds" "$processor" "$(du -sm "$CARGO_TARGET_DIR" | cut -f1)" "$mark"
}

cargo fetch --locked --quiet
printf '%-16s %8s  %11s  %9s\n' '' wall processor disk
for what in "${@:-release test}"; do
    for part in $what; do
        export CARGO_TARGET_DIR="$folder/$part"
        case $part in
            release) measure 'release build' 150 300 cargo build --locked --release ;;
            test)
                measure 'tests, compiled' 360 420 cargo test --locked --no-run
                # Both together are to take at most six minutes.
                measure 'tests, run' $((360 - seconds)) 240 cargo test --locked
                ;;
            *)
                echo "unknown: $part" >&2
                exit 2
                ;;
        esac
        rm -rf "$CARGO_TARGET_DIR"
    done
done
exit "$status"
