#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that programs built with examples/extension accept its names in plans, plots and trainings, and that programs
# built without this extension reject the names.
# Arguments: dlscale with the extension, dlscale without the extension.
# shellcheck source-path=SCRIPTDIR source=../e2e/support.bash
source "$(dirname "$0")/../e2e/support.bash" "$1"
without=$2
extension=$(cd "$here/../../examples/extension" && pwd)
study=$extension/study.toml
train=$(dirname "$dlscale")/dlscale-train
export DATA=$work/data
mkdir "$DATA"
python3 "$(dirname "$extension")/../tests/examples/numpy_images.py" "$DATA"

expect 0 "$train" --capabilities
for name in conv_mixer numpy_images cooldown; do says "\"$name\""; done

# An unknown name is rejected with the nearest known name.
expect 2 "$dlscale" plan "$study" -o wrong -S 'matrix.model=["conv_mixr"]'
says 'unknown model "conv_mixr"; did you mean "conv_mixer"?'
expect 2 "$dlscale" plan "$study" -o wrong -S 'matrix.lr_schedule=["cool_down"]'
says 'unknown lr_schedule "cool_down"; did you mean "cooldown"?'
expect 2 "$without" plan "$study" -o wrong
says 'unknown model "conv_mixer"'
[[ ! -e wrong ]] || fail "a plan was written"

# A schedule of an extension accepts the parameter names of the bundled schedules.
expect 2 "$dlscale" plan "$study" -o wrong -S 'training.schedules.cooldown.milestone=[4]'
says 'did you mean "milestones"?'

# Checks the learning rates without training: during the warm-up, at the peak, and half way to lr_min in the middle of
# the last epoch.
expect 0 "$dlscale" plot lr "$study" -o rates.svg
for point in 0,0.02 1,0.04 4,0.04 4.5,0.0205 4.75,0.01075; do says "0.04,$point,," rates.csv; done

expect 0 "$dlscale" run "$study" -o mine --no-figures
says "2/2 runs"
# The data set has four classes, so guessing has an accuracy of 0.25.
while read -r results; do
  accuracy=$(grep '"record":"eval"' "$results" | tail -n 1 | grep -o '"accuracy":[0-9.]*')
  awk -v found="${accuracy#*:}" 'BEGIN { exit !(found >= 0.9) }' || fail "$results: $accuracy"
done < <(find mine/runs -name results.jsonl)

# The data set reports a folder that lacks the files of the data set.
mkdir empty
DATA=$work/empty expect 1 "$dlscale" run "$study" -o lost --no-figures --where 'gpus == 1'
says "cannot read $work/empty/train_images.npy: "
