#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the examples ddp and fsdp on two nodes of a real SLURM. torchrun connects the ranks of the nodes.
# Argument: the built dlscale.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=environment.bash
source "$(dirname "$0")/environment.bash"
# shellcheck source=example.bash
source "$(dirname "$0")/example.bash"
dlscale=$(realpath "$1")

if [[ ${2:-} == inside ]]; then
  cd "$3"
  for example in ddp fsdp; do
    "$dlscale" submit "$example" --wait --poll 2 || {
      tail -n 20 "$example"/runs/*/launch-1/std* "$example"/logs/*
      exit 1
    }
  done
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/site.toml" <<TOML
scheduler = "slurm"
device = "cpu"
launcher = "srun"
walltime = "00:10:00"
environment = ["export PATH=$python_environment/bin:\$PATH PYTHONPATH=$PYTHONPATH OMP_NUM_THREADS=1"]

[[partitions]]
name = "cpu"
nodes = 2
gpus_per_node = 1
cores_per_node = 1
memory_gb = 4
max_walltime = "01:00:00"
TOML
study=() # set by short_form
for example in ddp fsdp; do
  short_form "$example"
  "$dlscale" plan "${study[@]}" -S 'matrix.gpus=[2]' --site "$work/site.toml" -o "$work/$example"
  grep -q -- '--nodes=2' "$work/$example"/jobs/*.sh
done
code=0
"$source_tree/tests/support/slurm_cluster.sh" --running --site "$work/site.toml" \
  "$0" "$dlscale" inside "$work" || code=$?
[[ $code -eq 0 ]] || exit "$code"
for example in ddp fsdp; do
  check_records "$work/$example" 2
  grep -q '"nodes":2' "$work/$example"/runs/*/launch-1/results.jsonl
done
