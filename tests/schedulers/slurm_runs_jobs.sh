#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A real SLURM runs one study as single jobs, as packed jobs and as arrays. Every run records its end,
# SLURM records failures, and no GPU serves two runs at a time. Argument: the built dlscale.
# shellcheck source-path=SCRIPTDIR source=planned.bash
source "$(dirname "$0")/planned.bash" "$1"

if [[ ${2:-} == inside ]]; then
  plans=$3
  for script in "$plans"/*/jobs/*.sh; do sbatch --parsable "$script" >>"$plans/ids"; done
  limit=$((SECONDS + 100))
  while [[ -n $(squeue -h) ]]; do
    ((SECONDS < limit)) || { squeue -l; exit 1; }
    sleep 0.2
  done
  scontrol show jobs -o >"$plans/jobs.txt"
  exit
fi

# Rank 0 records its job, nodes, GPUs and times. Runs with a batch of 9 fail.
mkdir "$work/bin" "$work/plans"
cat >"$work/bin/dlscale-train" <<'SH'
#!/bin/bash
[ "$SLURM_PROCID" = 0 ] || exit 0
mkdir "$2/launch-1" || exit 1
from=$(date +%s%N)
sleep 1
echo "$SLURM_JOB_NAME $SLURM_JOB_NODELIST $CUDA_VISIBLE_DEVICES $from $(date +%s%N)" \
  >"$2/launch-1/stdout"
case $2 in *-b9-*) exit 5 ;; esac
SH
chmod +x "$work/bin/dlscale-train"

plans=$work/plans
sed "s|^walltime|environment = [\"PATH=$work/bin:\$PATH\"]\n&|" "$here/sites/slurm.running.toml" \
  >"$work/running.toml"
study=("$here/small.toml" --site "$work/running.toml"
  -S 'matrix.gpus=[1, 2, 8]' -S 'matrix.batch_per_gpu=[8, 9]' -S study.repeats=1)
planned single "${study[@]}"
planned packed "${study[@]}" -S launch.pack=true
planned array "${study[@]}" -S launch.array=true -S 'matrix.gpus=[2]' -S study.repeats=2 -S launch.throttle=1
code=0
"$root/tests/support/slurm_cluster.sh" --running --site "$work/running.toml" \
  "$0" "$1" inside "$plans" || code=$?
[[ $code -eq 0 ]] || exit "$code"
python3 "$here/runs_ended.py" "$plans"
