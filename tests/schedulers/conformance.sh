#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the suite that every job scheduler must pass, within its real batch system.
# usage: conformance.sh SCHEDULER_CONFORMANCE local|slurm|slurm-books|slurm-memory|oar [TEST]
# slurm-memory: a job that takes too much of it. slurm-books: what is asked of SLURM's accounting, with a controller that forgets ended jobs soon.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export DLSCALE_SCHEDULER=${2%-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # OAR's user comes here
export TMPDIR=${TMPDIR:-/tmp} # nodes have memory of their own
cp "$1" "$work/suite"
cluster=("$here/../support/${DLSCALE_SCHEDULER}_cluster.sh" --running)
site=(--site "$here/sites/$DLSCALE_SCHEDULER.conformance.toml")
case $2 in
  local) "$work/suite" -d yes "${3:-~[batch]~[slurm]~[oar]~[books]~[memory]~[.]}" ;;
  slurm) "${cluster[@]}" "${site[@]}" "$work/suite" -d yes "${3:-~[oar]~[books]~[memory]~[.]}" ;;
  slurm-books)
    DLSCALE_BOOKS=yes "${cluster[@]}" --accounting --forget 4 "${site[@]}" "$work/suite" \
      "${3:-[books],what a job took*}"
    ;;
  slurm-memory)
    "${cluster[@]}" --limit-memory "${site[@]}" "$work/suite" -d yes "${3:-[memory]}"
    ;;
  # OAR is to meet a dead node when it starts a job there, not to find it while looking around.
  oar) "${cluster[@]}" --look 3600 "${site[@]}" "$work/suite" -d yes "${3:-~[slurm]~[books]~[memory]~[.]}" ;;
esac
