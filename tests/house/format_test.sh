#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file is formatted according to .clang-format. Argument: the source tree.
set -euo pipefail
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "SKIPPED: clang-format is not installed (tools/setup --lint brings it)"
  exit 77
fi
# Newer versions format some constructs differently, so only the version of Debian 12 checks the format.
if ! clang-format --version | grep -q ' 14\.'; then
  echo "SKIPPED: formatting is judged by clang-format 14, this is $(clang-format --version)"
  exit 77
fi
tools/format --check
