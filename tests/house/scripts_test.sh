#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every shell script of the project passes bash -n and shellcheck. Argument: the source tree.
set -euo pipefail
cd "$1"
mapfile -t scripts < <(grep -rlE '^#!/usr/bin/env bash' tools tests .ci bench 2>/dev/null)
[[ ${#scripts[@]} -gt 3 ]]
for script in "${scripts[@]}"; do bash -n "$script"; done
if command -v shellcheck >/dev/null; then
  shellcheck -S warning "${scripts[@]}"
else
  echo "SKIPPED: shellcheck is not installed (tools/setup --lint brings it)"
  exit 77
fi
