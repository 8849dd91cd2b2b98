#!/usr/bin/env bash
# Measures fences and atomics in every scope into OUT/NAME, without the samples, and tells how long each took.
#
#   tests/gpu/scopes.sh OUT [APBENCH]
#
# APBENCH is target/release/apbench unless given; DEVICE in the environment is cuda:0 unless given. The scope of a cluster needs compute
# capability 9.0; SCOPES=block,device,system leaves it out. SWEEP_OPTIONS are further options of each sweep.
set -uo pipefail
out=$1
apbench=${2:-target/release/apbench}
scopes=${SCOPES:-block,cluster,device,system}
types=(--variant u32 --variant f32 --variant f16x2 --variant f32x4)
failures=0
logs=$(mktemp -d)
mkdir -p "$out"

measure() {
    local name=$1 scenario=$2
    shift 2
    local started=$SECONDS
    "$apbench" sweep "scenarios/$scenario.toml" --device "${DEVICE:-cuda:0}" "$@" ${SWEEP_OPTIONS-} --out "$out/$name" >"$logs/$name.log" 2>&1
    local status=$?
    [ "$status" -eq 0 ] || failures=$((failures + 1))
    printf '%-26s status %d, %3d s, %s\n' "$name" "$status" "$((SECONDS - started))" "$(grep -m 1 ' points' "$logs/$name.log")"
    rm -f "$out/$name/samples.csv" "$out/$name/report.html"
}

# Each thread of a fence has lines and a flag of its own, so every scope is one for all blocks.
measure fences fences --set scope="$scopes" --set launched_blocks=1,16,132,528 --set place=global,global --set stores=0,4
measure fences-release fences-release --set scope="$scopes"
# One block, in every scope and every way to share a word.
measure atomic-types atomic-types "${types[@]}" --set memory=global --set scope="$scopes"
# All multiprocessors: words that a warp shares, or that nobody does.
measure atomic-types-132-blocks atomic-types "${types[@]}" --set memory=global --set scope="$scopes" --set launched_blocks=132 \
    --set sharers=warp,thread,thread --set answer=unused,unused,used
# Blocks of one cluster share a word: in the scope of a cluster, and the same blocks in that of the device.
for blocks in 2 8; do
    case ,$scopes, in
    *,cluster,*)
        measure "atomic-types-cluster-of-$blocks" atomic-types "${types[@]}" --set memory=global --set scope=cluster \
            --set launched_blocks="$blocks" --set cluster_blocks="$blocks"
        ;;
    esac
    measure "atomic-types-$blocks-blocks" atomic-types "${types[@]}" --set memory=global --set scope=device --set launched_blocks="$blocks"
done
echo "$failures failed; logs in $logs"
[ "$failures" -eq 0 ]
