#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With DLSCALE_REQUIRE_WHEELS=1, a test of the wheels fails if its Debian system is missing. The test on Debian 11 is
# the only exception. It is skipped if the mirror of the machine does not have this release.
# usage: required.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

[[ $(id -u) -eq 0 ]] || skip "only root can start programs in another Debian system"
export XDG_CACHE_HOME=$work/cache
roots=$("$source_tree/tools/setup" --print-roots)
mkdir -p "$roots"

# expect REQUIRED CODE TEXT TEST: runs a test of the wheels, and compares its exit code and its output.
expect() {
  local code=0
  DLSCALE_REQUIRE_WHEELS=$1 "$source_tree/tests/wheel/$4.sh" "$wheels" >"$work/out" 2>&1 || code=$?
  [[ $code == "$2" ]] || { cat "$work/out" >&2; fail "$4.sh ended with $code instead of $2"; }
  says "$3" "$work/out"
}

for name in debian_11 debian_12; do
  expect 0 77 "SKIPPED: no Debian system" $name
  expect 1 1 "FAILED: no Debian system" $name
done
for suite in bullseye bookworm; do echo "the mirror does not have $suite" >"$roots/$suite.missing"; done
for name in debian_11 debian_12; do expect 0 77 "SKIPPED: the mirror does not have" $name; done
expect 1 77 "SKIPPED: the mirror does not have bullseye" debian_11
expect 1 1 "FAILED: the mirror does not have bookworm" debian_12
