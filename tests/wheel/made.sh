#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/wheel makes the wheels from the programs of a build folder.
# usage: made.sh BUILD DIR
set -euo pipefail
build=$(realpath "$1") wheels=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [[ ! -f $(tools/setup --print-simdjson)/simdjson.cpp ]]; then
  echo "the static libraries are not installed; run tools/setup --wheel"
  [[ ${DLSCALE_REQUIRE_WHEELS:-} != 1 ]] || exit 1
  exit 77
fi
[[ -x $build/bin/dlscale-train ]] || { echo "the build has no trainer"; exit 77; }
tools/wheel --no-build -b "$build" -o "$wheels"
