#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C ends all ranks and is logged. Repeating the same command then completes the study.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

arguments=(run "$study" -o small --no-figures -S 'matrix.framework=["ddp"]' -S 'training.epochs=150')
"$dlscale" "${arguments[@]}" >first.log 2>&1 &
launcher=$!
training() { grep -qs '"record":"step_window"' small/runs/*/launch-1/results.jsonl; }
wait_for 60 training

# The first dlscale still holds the folder, so a second dlscale fails.
expect 1 "$dlscale" "${arguments[@]}"
says "another dlscale is running the jobs of"

kill -INT "$launcher"
code=0
wait "$launcher" || code=$?
[[ $code == 130 ]] || fail "exit code $code after Ctrl-C"
[[ -z $(ranks) ]] || fail "ranks are left after Ctrl-C"
says "repeat the command to continue" first.log
[[ $(count '"outcome":"Cancelled"' small/launch.jsonl) -ge 1 ]] || fail "no cancelled run noted"
[[ $(count '"submitted"' small/launch.jsonl) == $(count '"ended"' small/launch.jsonl) ]] ||
  fail "a submitted run without its end"

expect 0 "$dlscale" "${arguments[@]}"
says "efficiency"
[[ $(count '"outcome":"Completed"' small/launch.jsonl) == 2 ]] || fail "not both runs completed"
