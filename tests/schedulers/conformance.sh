#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the conformance suite of the job schedulers within a real batch system.
# usage: conformance.sh SCHEDULER_CONFORMANCE local|slurm|slurm-books|slurm-memory|oar [TEST]
# slurm-memory: tests of a job that exceeds its memory.
# slurm-books: tests of SLURM's accounting, with a controller that soon forgets ended jobs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export DLSCALE_SCHEDULER=${2%-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # OAR's user reads this folder
export TMPDIR=${TMPDIR:-/tmp} # nodes have their own tmpfs folders
cp "$1" "$work/suite"
cluster=("$here/../support/${DLSCALE_SCHEDULER}_cluster.sh" --running)
site=(--site "$here/sites/$DLSCALE_SCHEDULER.conformance.toml")
case $2 in
  local) "$work/suite" -d yes "${3:-~[batch]~[slurm]~[oar]~[books]~[memory]~[.]}" ;;
  slurm) "${cluster[@]}" "${site[@]}" "$work/suite" -d yes "${3:-~[oar]~[books]~[memory]~[.]}" ;;
  slurm-books)
    DLSCALE_BOOKS=yes "${cluster[@]}" --accounting --forget 4 "${site[@]}" "$work/suite" \
      "${3:-[books],the accounting reports*}"
    ;;
  slurm-memory)
    "${cluster[@]}" --limit-memory "${site[@]}" "$work/suite" -d yes "${3:-[memory]}"
    ;;
  # OAR must detect a dead node when it starts a job there and not during a periodic check.
  oar) "${cluster[@]}" --look 3600 "${site[@]}" "$work/suite" -d yes "${3:-~[slurm]~[books]~[memory]~[.]}" ;;
esac
