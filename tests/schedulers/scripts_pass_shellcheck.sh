#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scripts that dlscale writes for its sites pass bash -n and shellcheck. bash -n checks one of the scripts
# that differ only in comments and names. shellcheck checks one script of each shape, and for each site the
# file that the scripts read.
# usage: scripts_pass_shellcheck.sh DLSCALE SITE.toml...
# shellcheck source-path=SCRIPTDIR source=planned.bash
source "$(dirname "$0")/planned.bash"
command -v shellcheck >/dev/null || {
  why="shellcheck is not installed (tools/setup --lint brings it)"
  [[ -z ${DLSCALE_REQUIRE_SCHEDULERS:-} ]] || {
    echo "FAILED, as DLSCALE_REQUIRE_SCHEDULERS is set: $why" >&2
    exit 1
  }
  echo "skipped: $why"
  exit 77
}

for site in "${@:2}"; do
  plan_site "$site" "$work/$(basename "$site" .toml)"
  inherited=$(find "$plans" -name inherited_variables.sh -print -quit)
  shellcheck -S warning "$inherited"
done
mapfile -d '' different < <(python3 "$here/one_of_each_shape.py" "$work" numbers)
[[ ${#different[@]} -gt 0 ]]
# shellcheck disable=SC2016 # the inner shell expands its arguments
printf '%s\0' "${different[@]}" |
  xargs -0 -n 64 -P 2 bash -c 'failed=0; for script; do bash -n "$script" || failed=1; done
    exit "$failed"' check

mapfile -d '' chosen < <(python3 "$here/one_of_each_shape.py" "$work")
printf '%s\0' "${chosen[@]}" | xargs -0 -n 8 -P 2 shellcheck -S warning
echo "${#different[@]} different scripts pass bash -n, one of each of their ${#chosen[@]} shapes shellcheck"
