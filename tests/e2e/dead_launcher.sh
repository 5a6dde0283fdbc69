#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# After dlscale itself is killed, the next dlscale takes over the job that still runs.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

arguments=(run "$study" -o small --no-figures -S 'matrix.framework=["ddp"]' -S 'matrix.gpus=[2]'
  -S 'training.epochs=150')
"$dlscale" "${arguments[@]}" >first.log 2>&1 &
launcher=$!
training() { grep -qs '"record":"step_window"' small/runs/*/launch-1/results.jsonl; }
wait_for 60 training
kill -KILL "$launcher"
wait "$launcher" || true
[[ -n $(ranks) ]] || fail "the ranks did not outlive their launcher; this test needs them to"

expect 0 "$dlscale" "${arguments[@]}"
[[ $(count '"submitted"' small/launch.jsonl) == 1 ]] || fail "the job was submitted twice"
[[ $(count '"outcome":"Completed"' small/launch.jsonl) == 1 ]] || fail "no completed run noted"
[[ ! -e $(echo small/runs/*/launch-2) ]] || fail "the run was launched twice"
