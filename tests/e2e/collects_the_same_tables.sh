#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a study up to its tables and figures. Collecting again, or without the database, must not change the tables.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

expect 0 "$dlscale" run "$study" -o small
says "4/4 runs"
says "efficiency"
says "accuracy"
says "small/tables/efficiency"
! grep -q $'[\r\e]' output.log || fail "control characters although nobody looks at a terminal"
for table in efficiency accuracy; do
  for ending in md tex csv; do [[ -s small/tables/$table.$ending ]] || fail "no $table.$ending"; done
done
[[ -n $(find small/figures -name '*.svg' -size +0) ]] || fail "no figure"
[[ $(count '"outcome":"Completed"' small/launch.jsonl) == 4 ]] || fail "not four completed runs"

cp -r small/tables first
expect 0 "$dlscale" collect small
diff -r first small/tables || fail "collecting twice changed a table"
rm small/results.sqlite
expect 0 "$dlscale" collect small
diff -r first small/tables || fail "collecting from nothing changed a table"

# A completed run is not run again.
expect 0 "$dlscale" run "$study" -o small --no-figures
[[ $(count '"submitted"' small/launch.jsonl) == 4 ]] || fail "a completed run was submitted again"

# The collector skips the truncated last line of a killed writer and reports the file.
results=$(find small/runs -name results.jsonl | sort | head -n 1)
truncate -s -20 "$results"
expect 0 "$dlscale" collect small
says "truncated"
says "$(basename "$(dirname "$(dirname "$results")")")"

# The study continues when the reader of its output exits.
"$dlscale" run "$study" -o unread --no-figures -S 'matrix.gpus=[1]' | head -n 1 >output.log
[[ $(count '"outcome":"Completed"' unread/launch.jsonl) == 2 ]] || fail "not both runs completed"
