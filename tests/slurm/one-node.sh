#!/usr/bin/env bash
# Starts a Slurm cluster of one node in a temporary folder, sweeps a small scenario on it as the book says, and checks
# that the merged run has every point once; then the same with a time limit that no part keeps. Takes three minutes.
#
#   tests/slurm/one-node.sh [APBENCH] [DEVICE]
#
# It needs slurmctld, slurmd, the Slurm commands and munged (Debian: apt-get install slurmctld slurmd slurm-client munge).
set -euo pipefail
cd "$(dirname "$0")/../.."
apbench=$(realpath "${1:-target/debug/apbench}")
device=${2:-mock:delay_ms=200}
for program in munged slurmctld slurmd sbatch scontrol sinfo "$apbench"; do
    command -v "$program" >/dev/null || { echo "error: $program is not there" >&2; exit 1; }
done

folder=$(mktemp -d "${TMPDIR:-/tmp}/apbench-slurm-XXXXXX")
chmod 755 "$folder"
stop() {
    status=$?
    trap - EXIT
    for daemon in slurmd slurmctld munged; do
        [ -s "$folder/$daemon.pid" ] || continue
        pid=$(cat "$folder/$daemon.pid")
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.2
        done
    done
    if [ "$status" = 0 ]; then rm -rf "$folder"; else echo "FAILED; logs and runs are in $folder" >&2; fi
    exit "$status"
}
trap stop EXIT
fail() {
    echo "error: $*" >&2
    tail -n 5 "$folder"/*.log "$folder"/jobs/*.log >&2 2>/dev/null || true
    exit 1
}

node=$(hostname -s)
mkdir "$folder/state" "$folder/spool" "$folder/jobs"
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 600 "$folder/munge.key"
cat >"$folder/slurm.conf" <<CONFIGURATION
ClusterName=apbench
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
# A job that is put back into the queue waits for as long as its credential lasts.
AuthInfo=socket=$folder/munge.socket,cred_expire=10
SlurmctldPort=$((20000 + $$ % 10000))
SlurmdPort=$((30000 + $$ % 10000))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=0,bf_interval=1
MpiDefault=none
ReturnToService=2
MinJobAge=600
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONFIGURATION
export SLURM_CONF=$folder/slurm.conf
# For a cluster without systemd, started by any user.
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
slurmctld
slurmd
for _ in $(seq 30); do
    [ "$(sinfo --noheader --format=%t 2>/dev/null)" = idle ] && break
    sleep 1
done
[ "$(sinfo --noheader --format=%t)" = idle ] || fail "the node is not idle: $(sinfo --noheader)"
echo "$(slurmctld -V) runs on $node"

cat >"$folder/jobs/small.toml" <<SCENARIO
family = "branching"
variants = ["divergent"]

[grid]
operation = ["compute", "convolution"]
branches = { from = 1, to = 11, step = 1 }
width = 64
work = 2

[[fit]]
law = "branches"
SCENARIO
points=22
scripts=$PWD/docs/slurm
cd "$folder/jobs"

# Points of all parts' rows, or the merged run's, in order.
numbers() { tail -qn +2 "$@" | cut -d, -f1 | sort -n | tr '\n' ' '; }
whole=$(seq 0 $((points - 1)) | tr '\n' ' ')

# check NAME SBATCH_OPTION...: submits both jobs as the book does and checks what they leave.
check() {
    local name=$1 array merge state
    shift
    export APBENCH=$apbench APBENCH_DEVICE=$device
    array=$(sbatch --parsable --gpus=0 "$@" "$scripts/sweep-array.sh" small.toml "$name")
    merge=$(sbatch --parsable --dependency="afterok:$array" "$scripts/merge.sh" "$name")
    for _ in $(seq 300); do
        state=$(scontrol --oneliner show job "$merge" | grep -o 'JobState=[A-Z_]*' | cut -d= -f2)
        case $state in
        COMPLETED) break ;;
        PENDING) [[ $(scontrol show job "$merge") == *DependencyNeverSatisfied* ]] && fail "$name: a part failed" ;;
        RUNNING | COMPLETING) ;;
        *) fail "$name: the merge ended as $state" ;;
        esac
        sleep 1
    done
    [ "$state" = COMPLETED ] || fail "$name: not done after 300 s: $(scontrol show job "$array" | grep JobState)"
    [ "$(numbers "$name"/part-*/points.csv)" = "$whole" ] || fail "$name: the parts have $(numbers "$name"/part-*/points.csv)"
    [ "$(numbers "$name"/merged/points.csv)" = "$whole" ] || fail "$name: merged: $(numbers "$name"/merged/points.csv)"
    "$apbench" fit "$name/merged" >"$name/fits.txt" || fail "$name: the merged run cannot be fitted"
    echo "ok: $name: $(ls -d "$name"/part-* | wc -l) parts, $points points, each once"
}

check parts
# Slurm looks at time limits every half minute: parts of 44 s are signalled on their way.
device=${device/delay_ms=200/delay_ms=4000}
check interrupted --array=0-1 --time=00:01:00 --signal=B:USR1@55
restarts=$(cat apbench-*.log | grep -c 'the time is up') || fail "no part was interrupted, which this was to try"
echo "ok: parts were interrupted $restarts times and went on"
