#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A study of data_parallel runs. Each run is one process, and the devices of the process are the GPUs of the plan.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

expect 0 "$dlscale" run "$study" -o small --no-figures -S 'matrix.framework=["data_parallel"]' \
  -S 'training.profile=true'
says "2/2 runs"
says "efficiency"
! grep -q 'has no framework "data_parallel"' output.log || fail "the framework is said to be missing"
[[ $(count '"outcome":"Completed"' small/launch.jsonl) == 2 ]] || fail "not two completed runs"
results=$(find small/runs -path '*g2*' -name results.jsonl)
[[ $(count '"world_size":2' "$results") == 1 ]] || fail "the devices are not counted"
[[ $(count '"devices":"2 devices of 1 core' "$results") == 1 ]] || fail "no word on the devices"
[[ $(count '"record":"profile"' "$results") == 1 ]] || fail "no profile"
for script in small/jobs/*g2*.sh; do
  grep -q -- ' -np 1 ' "$script" || fail "$script starts more than one process"
done
