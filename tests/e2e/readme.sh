#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands that README.md gives for one machine without a batch system. Uses the study in README.md, and a
# training script that prints the lines which this study reads.
# usage: readme.sh DLSCALE README
# shellcheck source-path=SCRIPTDIR source=support.bash source=../python/environment.bash
readme=$(realpath "$2")
source "$(dirname "$0")/../python/environment.bash"
source "$(dirname "$0")/support.bash"

sed -n '/^```toml$/,/^```$/p' "$readme" | sed '/^```/d' > study.toml
sed -n '/^On this machine/,/^On a cluster/p' "$readme" | sed -n '/^```sh$/,/^```$/p' | sed '/^```/d' > commands
[[ $(grep -c '^dlscale ' commands) -ge 6 ]] || fail "README.md has no block of commands for this machine"
cat > train.py <<'PY'
import argparse
import os
import time

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int)
parser.add_argument("--seed", type=int)
batch = parser.parse_args().batch_size
for step in range(20):
    start = time.perf_counter()
    time.sleep(0.0005 * batch)
    rate = batch * int(os.environ["WORLD_SIZE"]) / (time.perf_counter() - start)
    if os.environ["RANK"] == "0":
        print(f"step {step}: loss {2.5 / (step + 1):.4f}, {rate:.1f} samples/s")
PY
PATH=$(dirname "$dlscale"):$PATH
while IFS= read -r command; do
  bash -c "$command" > output.log 2>&1 || fail "ended with $?: $command: $(tail -n 3 output.log)"
done < commands
[[ -s paper/report.html && -s speedup.svg ]] || fail "the report or the figure is missing"
