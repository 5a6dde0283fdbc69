#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures how fast 1,000 jobs are submitted to a real SLURM in three ways: by a plain loop of
# sbatch, by dlscale submit as single jobs, and by dlscale submit as tasks of arrays. The SLURM
# controller is real, but the nodes exist only in the configuration of the controller. usage:
# submit_bench.sh DLSCALE [JOBS]
set -euo pipefail
dlscale=$(realpath "$1")
jobs=${2:-1000}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -z ${3:-} ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  "$root/tests/support/slurm_cluster.sh" --site "$root/tests/faults/slurm.toml" \
    "$0" "$dlscale" "$jobs" "$work"
  exit
fi
work=$3

plan() {
  "$dlscale" plan "$root/tests/schedulers/small.toml" --site "$root/tests/faults/slurm.toml" \
    -o "$work/$1" -S study.repeats=1 -S "matrix.batch_per_gpu=[$(seq -s, 1 "$jobs")]" "${@:2}" \
    >"$work/plan.log" 2>&1
}

# measure WHAT COMMAND...: prints a row with the seconds of the command and the jobs or tasks per second.
measure() {
  local begin end
  begin=$(date +%s.%N)
  "${@:2}" >"$work/out.log"
  end=$(date +%s.%N)
  awk -v what="$1" -v s="$(echo "$end $begin" | awk '{print $1 - $2}')" -v n="$jobs" \
    'BEGIN { printf "| %s | %.2f | %.0f |\n", what, s, n / s }'
  scancel -u "$(id -un)"
}

bare_loop() { for script in "$work"/single/jobs/*.sh; do sbatch --parsable "$script"; done; }

plan single
plan again
plan array -S launch.array=true
printf '| %s jobs | s | per s |\n|---|--:|--:|\n' "$jobs"
measure "a loop of sbatch" bare_loop
measure "dlscale submit, single jobs" "$dlscale" submit "$work/again"
measure "dlscale submit, arrays of 100 tasks" "$dlscale" submit "$work/array"
