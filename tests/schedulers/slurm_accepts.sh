#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `sbatch --test-only` on every job script below a folder, on a login node. Argument: the folder.
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
# Two clients at a time: the controller tries one while another one starts.
# shellcheck disable=SC2016 # the inner shell expands its arguments
printf '%s\0' "${scripts[@]}" | xargs -0 -n 16 -P 2 bash -c 'try "$@"' try
echo "${#scripts[@]} scripts are accepted by $(sbatch --version)"
