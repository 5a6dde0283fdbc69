#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# When a rank dies, its job ends within 10 s, and the run is recorded as failed with a reason.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

"$dlscale" run "$study" -o small --no-figures -S 'matrix.framework=["ddp"]' -S 'matrix.gpus=[2]' \
  -S 'training.epochs=100000' >run.log 2>&1 &
launcher=$!
training() { grep -qs '"record":"step_window"' small/runs/*/launch-1/results.jsonl; }
wait_for 60 training

victim=$(ranks | tail -n 1)
kill -KILL "$victim"
start=$SECONDS
code=0
wait "$launcher" || code=$?
((SECONDS - start <= 10)) || fail "the job went on for $((SECONDS - start)) s"
[[ $code == 1 ]] || fail "exit code $code instead of 1"
[[ -z $(ranks) ]] || fail "ranks are left"
says '"outcome":"Failed"' small/launch.jsonl
! grep -qF '"reason":""' <(grep '"ended"' small/launch.jsonl) || fail "no reason noted"
says "1 run failed" run.log
# Either the rank that waits for the dead rank or mpirun reports the failure first.
grep -qE 'rank 1 has left while others wait for it|exited on signal 9' run.log || fail "no word of the rank"
grep -qE 'see small/(logs|runs)/' run.log || fail "no place to look at"
