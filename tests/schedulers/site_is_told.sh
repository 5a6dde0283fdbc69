#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `dlscale init site` reads the description of the cluster from a real batch system.
# usage: site_is_told.sh DLSCALE slurm|oar
set -euo pipefail

scheduler=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cluster=$here/../support/${scheduler}_cluster.sh
site=$here/sites/$scheduler.toml
work=$(mktemp -d)
chmod 755 "$work" # OAR's user reads this folder
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/dlscale"
"$cluster" --site "$site" "$work/dlscale" init site told --scheduler "$scheduler" >"$work/told.toml"
sed 's/ *#.*//; /^$/d' "$work/told.toml" | diff "$here/sites/$scheduler.told.toml" - || {
  echo "FAILED: the cluster (<) was told as another one (>)" >&2
  exit 1
}
