# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions that plan studies for a site. Sourced with the path of the built dlscale as $1.
# shellcheck disable=SC2034 # the scripts that source this use the variables
set -euo pipefail

dlscale=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=../support/readable.bash
source "$root/tests/support/readable.bash"
work=$(mktemp -d)
chmod 755 "$work" # OAR runs the test as another user
trap 'rm -rf "$work"' EXIT

scheduler_of() { sed -n 's/^scheduler *= *"\([a-z]*\)".*/\1/p' "$1"; }

# planned NAME ARGUMENT...: makes the plan folder $plans/NAME.
planned() {
  "$dlscale" plan "${@:2}" -o "$plans/$1" >"$work/output.log" 2>&1 || {
    echo "FAILED: dlscale plan ${*:2}" >&2
    cat "$work/output.log" >&2
    exit 1
  }
}

# plan_site SITE.toml FOLDER: plans the small study on every partition, as single jobs, as packed jobs and as
# arrays that wait for each other. Also plans the example studies whose header names this site.
plan_site() {
  local site=$1 name study partition gpus
  plans=$2
  name=$(basename "$site" .toml)
  mkdir -p "$plans"
  while IFS=$'\t' read -r partition gpus; do
    local small=("$here/small.toml" --site "$site" -S "matrix.gpus=$gpus"
      -S "resources.partition='$partition'")
    planned "$partition" "${small[@]}"
    planned "$partition-packed" "${small[@]}" -S launch.pack=true
    planned "$partition-array" "${small[@]}" -S launch.array=true -S launch.chain=1
  done < <(python3 "$here/gpu_counts.py" "$site")
  while read -r study; do
    planned "$(basename "$(dirname "$study")")-$(basename "$study" .toml)" "$root/$study" --site "$site"
  done < <(grep -hoE "dlscale plan examples/[^ ]+ --site $name\$" "$root"/examples/studies/*/*.toml |
    sed 's/^dlscale plan //; s/ --site .*//' | sort -u)
}
