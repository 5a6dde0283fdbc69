# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Short forms of the studies in examples/external. Sourced after environment.bash.

# short_form EXAMPLE: sets `study` to the arguments with which dlscale plans a short form of an example.
# shellcheck disable=SC2034 # the scripts that source this use the variable
short_form() {
  local folder=$source_tree/examples/external/$1 command short
  command=$(sed -n 's/^command = "\(.*\)"$/\1/p' "$folder/study.toml")
  study=("$folder/study.toml" -S study.repeats=1)
  case $1 in
    ddp) study+=(-S 'matrix.parameters.hidden=[32]') short="--epochs 2 --samples 1024" ;;
    fsdp) study+=(-S 'matrix.parameters.width=[16]') short="--epochs 2 --samples 192 --depth 1" ;;
  esac
  study+=(-S "trainer.command=\"$command $short\"")
}

# check_records PLAN RANKS: checks the records of the launch with this number of ranks.
check_records() {
  python - "$1" "$2" <<'PYTHON'
import sys

import dlscale

frames = dlscale.load(sys.argv[1])
ranks = int(sys.argv[2])
run = frames.runs[frames.runs.gpus == ranks].iloc[0]
assert run.exit_code == 0, run
epochs = frames.epochs[frames.epochs.run_id == run.run_id]
windows = frames.windows[frames.windows.run_id == run.run_id]
assert list(epochs.epoch) == [0, 1], epochs
assert windows.steps.sum() == epochs.steps.sum() > 10, windows
assert windows.samples.sum() == epochs.samples.sum() == epochs.steps.sum() * run.global_batch, windows
assert (epochs.train_loss.diff()[1:] < 0).all(), epochs
assert len(frames.evals[frames.evals.run_id == run.run_id]) == 2
PYTHON
}
