#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands that README.md gives for one machine without a batch system. Uses the study in README.md.
# usage: readme.sh DLSCALE README
# shellcheck source-path=SCRIPTDIR source=support.bash
readme=$(realpath "$2")
source "$(dirname "$0")/support.bash"

sed -n '/^```toml$/,/^```$/p' "$readme" | sed '/^```/d' > study.toml
sed -n '/^On this machine/,/^On a cluster/p' "$readme" | sed -n '/^```sh$/,/^```$/p' | sed '/^```/d' > commands
[[ $(grep -c '^dlscale ' commands) -ge 6 ]] || fail "README.md has no block of commands for this machine"
PATH=$(dirname "$dlscale"):$PATH
while IFS= read -r command; do
  bash -c "$command" > output.log 2>&1 || fail "ended with $?: $command: $(tail -n 3 output.log)"
done < commands
[[ -s paper/report.html && -s speedup.svg ]] || fail "the report or the figure is missing"
