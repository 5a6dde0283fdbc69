#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs an example of examples/external with torchrun on this machine, on one rank and on two ranks, and checks its
# table. Arguments: the built dlscale, the name of the example.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=environment.bash
source "$(dirname "$0")/environment.bash"
# shellcheck source=example.bash
source "$(dirname "$0")/example.bash"
dlscale=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
study=() # set by short_form
short_form "$2"
"$dlscale" run "${study[@]}" -o out --no-figures || { tail -n 20 out/runs/*/launch-1/stderr; exit 1; }
check_records out 2
[[ $(grep -c '^[^#]' out/tables/efficiency.csv) -eq 3 ]] # a line of headings and two points
if [[ $2 == ddp ]]; then
  # A second launch continues from the checkpoint, and no step counts twice.
  run=$(basename "$(echo out/runs/*g2-*)")
  mkdir "out/runs/$run/launch-2"
  script=$source_tree/examples/external/ddp/train.py
  (cd "out/runs/$run/launch-2" && torchrun --standalone --nproc-per-node=2 "$script" --batch-size 32 --hidden 32 \
    --samples 1024 --epochs 3)
  python - out "$run" <<'PYTHON'
import sys

import dlscale

frames = dlscale.load(sys.argv[1])
windows = frames.windows[frames.windows.run_id == sys.argv[2]]
steps = [step for row in windows.itertuples() for step in range(row.first_step, row.first_step + row.steps)]
assert steps == list(range(48)), windows
assert set(windows.launch) == {1, 2}
PYTHON
fi
