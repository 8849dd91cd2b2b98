#!/usr/bin/env bash
# Joins the parts of a job array into OUT/merged, once they are all there:
#
#   sbatch --dependency=afterok:JOB docs/slurm/merge.sh OUT
#
#SBATCH --job-name=apbench-merge
#SBATCH --time=00:10:00
#SBATCH --output=apbench-merge-%j.log
set -uo pipefail
out=${1:?the folder of the parts}
exec "${APBENCH:-apbench}" merge "$out"/part-* --out "$out/merged"
