# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A trainer whose ranks only record their environment, and variables that must not reach the jobs.
# Sourced after planned.bash, with the path of the built dlscale as $1.

# write_trainer: makes a trainer that writes its environment and the files of a completed run.
write_trainer() {
  mkdir -p "$work/bin"
  cat >"$work/bin/dlscale-train" <<'SH'
#!/bin/bash
until [[ $1 == --run ]]; do shift; done
[ "${SLURM_PROCID:-0}" = 0 ] || exit 0
mkdir "$2/launch-1" || exit 1
env | sort >"$2/launch-1/environment"
echo '{"record":"run_stop","outcome":"Completed"}' >"$2/launch-1/results.jsonl"
SH
  chmod 755 "$work/bin" "$work/bin/dlscale-train"
}

# completed FOLDER: checks that dlscale lists every run as done and that no launcher variable reached the ranks.
completed() {
  local states
  states=$("$dlscale" list "$1" --csv)
  if ! grep -q ,done, <<<"$states" || grep -qE ',(planned|queued|running|failed|lost|cancelled|timeout),' <<<"$states"; then
    echo "FAILED: $1" >&2
    printf '%s\n' "$states" >&2
    tail -n 20 "$1"/logs/* >&2
    exit 1
  fi
  if grep -HE '^(SBATCH_|SRUN_EXPORT_ENV|SLURM_EXPORT_ENV|RANK=7|OMPI_COMM_WORLD_RANK=7|PMIX_RANK=7)' "$1"/runs/*/launch-1/environment; then
    echo "FAILED: $1: variables reached the ranks" >&2
    exit 1
  fi
}

# Variables that an outer launcher sets.
launcher_variables=(RANK=7 WORLD_SIZE=9 MASTER_ADDR=nowhere PMI_RANK=7 PMIX_RANK=7 PMIX_NAMESPACE=x
  PMIX_SERVER_URI41=x OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=9 'OMPI_MCA_ess=^singleton')
