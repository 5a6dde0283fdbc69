#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Missing data and unwritable folders give one clear message and the documented exit code.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

one_line() { [[ $(wc -l <output.log) == 1 ]] || fail "more than one line of complaint"; }

expect 1 "$dlscale" run "$study" -o missing --no-figures -S 'matrix.gpus=[1]' \
  -S 'matrix.framework=["ddp"]' -S 'training.dataset={kind="mnist", path="/nowhere/mnist"}'
says "1 run failed"
says "/nowhere/mnist"
says '"outcome":"Failed"' missing/launch.jsonl
says '"exit_code":3' missing/launch.jsonl

touch file
expect 2 "$dlscale" run "$study" -o file
one_line
says "file"
expect 2 "$dlscale" run "$study" -o /proc/nowhere
one_line
says "/proc/nowhere"
expect 2 "$dlscale" run "$study" -o none -S 'matrix.gpus=[]'
one_line
says "matrix.gpus"
[[ ! -e none ]] || fail "a refused study left a folder"
