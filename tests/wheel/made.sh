#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/wheel makes the wheels from the programs of a build folder.
# usage: made.sh BUILD DIR
set -euo pipefail
build=$(realpath "$1") wheels=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# skip REASON: skips the test, or fails it if all tests of the wheels must run.
skip() {
  echo "SKIPPED: $*"
  [[ ${DLSCALE_REQUIRE_WHEELS:-} != 1 ]] || exit 1
  exit 77
}

[[ -f $(tools/setup --print-simdjson)/simdjson.cpp ]] ||
  skip "the static libraries are not installed; run tools/setup --wheel"
[[ -x $build/bin/dlscale-train ]] || skip "the build has no trainer"
tools/wheel --no-build -b "$build" -o "$wheels"
