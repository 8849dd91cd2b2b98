#!/usr/bin/env bash
# Measures a scenario on many GPUs: every task of a job array takes its share of the points into a run directory of its
# own, OUT/part-N. Submit it from the folder that the paths are relative to:
#
#   sbatch docs/slurm/sweep-array.sh SCENARIO.toml OUT [options of `apbench sweep`]
#
#SBATCH --job-name=apbench
#SBATCH --array=0-3
#SBATCH --gpus=1
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=apbench-%A-%a.log
set -uo pipefail
scenario=${1:?the scenario} out=${2:?the folder of the parts}
shift 2
part=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
mkdir -p "$out" || exit 1

# --resume begins a run, or goes on with the one that an earlier start of this task left.
# The device is named, because a node whose driver is missing would be simulated otherwise.
"${APBENCH:-apbench}" sweep "$scenario" --device "${APBENCH_DEVICE:-cuda:0}" --part "$part" --out "$out/part-$SLURM_ARRAY_TASK_ID" --resume "$@" &
apbench=$!

# USR1 comes two minutes before the time limit, TERM with scancel: the point at hand is finished, the run closed.
time_is_up=
trap 'time_is_up=yes; kill -TERM "$apbench"' USR1
trap 'kill -TERM "$apbench"' TERM
while
    wait "$apbench"
    status=$?
    kill -0 "$apbench" 2>/dev/null
do :; done

if [ -n "$time_is_up" ] && [ "$status" = 130 ]; then
    echo "part $part: the time is up; it goes on when Slurm starts it again"
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
    exit 0
fi
if [ "$status" = 4 ]; then
    echo "part $part: some points failed; their rows say why"
    exit 0 # so that the parts are merged all the same
fi
exit "$status"
