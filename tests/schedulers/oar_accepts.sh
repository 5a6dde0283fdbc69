#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Submits the job scripts below a folder with a real oarsub and deletes the jobs. Argument: the folder.
# OAR checks only the #OAR lines of a script and takes a fifth of a second per script. So the test submits
# one script of each group whose #OAR lines differ only in names and paths.
set -euo pipefail

shape() { sed -nE 's/^#OAR (-n|-O|-E|--array-param-file) .*/\1/; s/^#OAR (.*)/\1/; /^-/p' "$1"; }

mapfile -d '' scripts < <(find "$1" -path '*/jobs/*.sh' -print0)
[[ ${#scripts[@]} -gt 0 ]]
declare -A chosen
for script in "${scripts[@]}"; do
  key=$(shape "$script")
  chosen[$key]=${chosen[$key]:-$script}
done

jobs=()
for script in "${chosen[@]}"; do
  code=0
  answer=$(oarsub -S "$script" 2>&1) || code=$?
  tasks=$(sed -n 's/^#OAR --array-param-file //p' "$script" | xargs -r cat | grep -c . || true)
  mapfile -t ids < <(sed -n 's/^OAR_JOB_ID=\([1-9][0-9]*\)$/\1/p' <<<"$answer")
  if [[ $code != 0 || ${#ids[@]} != $((tasks > 0 ? tasks : 1)) ]]; then
    printf '%s: oarsub ends with %s, jobs: %s\n%s\n' "$script" "$code" "${#ids[@]}" "$answer"
    grep '^#OAR' "$script"
    exit 1
  fi
  jobs+=("${ids[@]}")
done
oardel "${jobs[@]}" >/dev/null
version=$(oarsub --version | sed -n 's/^OAR version : //p')
echo "${#scripts[@]} scripts of ${#chosen[@]} shapes, ${#jobs[@]} jobs: accepted by OAR $version"
