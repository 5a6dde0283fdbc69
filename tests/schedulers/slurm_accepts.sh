#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs `sbatch --test-only` on the job scripts below a folder, on a login node. Argument: the folder.
# SLURM checks only the #SBATCH lines of a script. So the test checks one script of each group whose
# #SBATCH lines differ only in names and paths.
set -euo pipefail

try() {
  local script answer failed=0
  for script in "$@"; do
    answer=$(sbatch --test-only "$script" 2>&1) && continue
    failed=1
    printf '%s:\n%s\n' "$script" "$answer"
    grep '^#SBATCH' "$script"
  done
  return "$failed"
}
export -f try

mapfile -d '' scripts < <(find "$1" -path '*/jobs/*.sh' -print0)
[[ ${#scripts[@]} -gt 0 ]]
# Chooses one script for each distinct set of #SBATCH lines.
mapfile -t chosen < <(awk '
  /^#SBATCH --(job-name|output|error)=/ { sub(/=.*/, "") }
  /^#SBATCH/ { lines[FILENAME] = lines[FILENAME] $0 }
  END { for (file in lines) if (!seen[lines[file]]++) print file }' "${scripts[@]}")
# Run two clients at a time, so that the controller checks a script while the other client starts.
# shellcheck disable=SC2016 # the inner shell expands its arguments
printf '%s\0' "${chosen[@]}" | xargs -0 -n 16 -P 2 bash -c 'try "$@"' try
echo "${#scripts[@]} scripts of ${#chosen[@]} shapes are accepted by $(sbatch --version)"
