#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With a real SLURM, dlscale and its scripts follow the plan inside another job, under --export=NONE, and
# with options of SLURM's commands in the environment. Argument: the built dlscale.
# shellcheck source-path=SCRIPTDIR source=planned.bash
source "$(dirname "$0")/planned.bash" "$1"
# shellcheck source=environment.bash
source "$here/environment.bash"

# in_job OPTION... COMMAND: runs the shell command in a SLURM job and checks that the job succeeds.
in_job() {
  local id
  id=$(sbatch --parsable --wait --partition=gpu --time=5 --output="$plans/outer.out" "${@:1:$#-1}" \
    --wrap "${*: -1}") || { cat "$plans/outer.out" >&2; echo "FAILED: job ${id:-} ${*}" >&2; exit 1; }
}

if [[ ${2:-} == inside ]]; then
  plans=$3
  export SBATCH_TIMELIMIT=00:07:00 SBATCH_JOB_NAME=mine SBATCH_NO_REQUEUE=1 SBATCH_EXPORT=NONE \
    SBATCH_PARTITION=nowhere SBATCH_MEM_PER_CPU=1 SQUEUE_FORMAT=%i SQUEUE_FORMAT2=jobid SQUEUE_SORT=i \
    SQUEUE_STATES=FAILED SQUEUE_NAMES=none SACCT_FORMAT=JobID SCANCEL_NAME=none SCANCEL_CTLD=1 \
    SINFO_FORMAT=%P SCONTROL_ALL=1 SLURM_TIME_FORMAT=relative SLURM_EXPORT_ENV=NONE SLURM_GPUS_PER_TASK=3 \
    SLURM_MEM_PER_GPU=1 SLURM_DISTRIBUTION=arbitrary SLURM_CPU_BIND=mask_cpu:0x8000 SLURM_HET_SIZE=2 \
    SLURM_JOB_ID=999 SLURM_NTASKS=77 SRUN_CPUS_PER_TASK=64 "${launcher_variables[@]}"
  "$dlscale" submit "$plans/options" --wait --poll 1 >"$plans/said" ||
    { cat "$plans/said" "$plans"/options/logs/* >&2; exit 1; }
  completed "$plans/options"
  grep -q "^removed from the environment: .*SBATCH_TIMELIMIT.*SLURM_JOB_ID" "$plans/said" || {
    echo "FAILED: dlscale submit does not name what it removed" >&2; cat "$plans/said" >&2; exit 1; }
  "$dlscale" usage "$plans/options" >/dev/null
  "$dlscale" init site told --scheduler slurm >"$plans/told.toml"
  for name in ${!SBATCH_*} ${!SQUEUE_*} ${!SACCT_*} ${!SCANCEL_*} ${!SINFO_*} ${!SCONTROL_*} ${!SRUN_*}; do unset "$name"; done
  unset SLURM_TIME_FORMAT SLURM_EXPORT_ENV SLURM_GPUS_PER_TASK SLURM_MEM_PER_GPU SLURM_DISTRIBUTION \
    SLURM_CPU_BIND SLURM_HET_SIZE SLURM_JOB_ID SLURM_NTASKS

  in_job --mem-per-cpu=300 "'$dlscale' submit '$plans/per-cpu' --wait --poll 1"
  completed "$plans/per-cpu"
  in_job --mem-per-cpu=300 "srun --cpu-bind=none '$dlscale' submit '$plans/step' --wait --poll 1"
  completed "$plans/step"
  in_job --export=NONE "'$dlscale' submit '$plans/none' --wait --poll 1"
  completed "$plans/none"
  sbatch --wait --export=NONE "$plans"/by-hand-none/jobs/*.sh >/dev/null
  completed "$plans/by-hand-none"
  in_job --mem-per-cpu=300 --gres=gpu:1 "sbatch --wait '$plans'/by-hand-in-job/jobs/*.sh"
  completed "$plans/by-hand-in-job"
  scontrol show jobs -o >"$plans/jobs.txt"
  exit
fi

write_trainer
plans=$work/plans
mkdir "$plans"
sed "s|^walltime|environment = [\"PATH=$work/bin:\$PATH\"]\n&|; s|^memory_gb.*|&\nmemory_request = true|" \
  "$here/sites/slurm.running.toml" >"$work/running.toml"
for name in options per-cpu step none by-hand-none by-hand-in-job; do
  planned "$name" "$here/small.toml" --site "$work/running.toml" -S 'matrix.gpus=[2]' -S study.repeats=1
done
"$root/tests/support/slurm_cluster.sh" --running --accounting --site "$work/running.toml" \
  "$0" "$1" inside "$plans" || exit
own=$(grep -c "JobName=[^ ]*mlp.* TimeLimit=00:30:00 " "$plans/jobs.txt")
[[ $own -eq 6 ]] || { echo "FAILED: $own of 6 jobs have the name and the time limit of the plan" >&2; cat "$plans/jobs.txt" >&2; exit 1; }
echo "$own jobs ended as planned, whatever the environment was"
