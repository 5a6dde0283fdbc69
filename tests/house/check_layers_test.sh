#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The layer checker finds what it is there to find. Argument: the source tree.
set -euo pipefail
source_tree=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
spdx='// SPDX-License-Identifier: Apache-2.0'
failed=0

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{base,contract,predict,planner,runner,analysis,trainer/comm,trainer/sync,cli}
}
put() { printf '%s\n' "$spdx" "${@:2}" >"$tree/$1"; }
expect() { # what, exit status, text in the output
  local status=0 output
  output=$("$source_tree/tools/check_layers" "$tree") || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    printf 'FAILED: %s\n  expected exit %s and: %s\n  got exit %s and: %s\n' "$1" "$2" "$3" "$status" "$output"
    failed=1
  fi
}

fresh; put planner/study.cpp '#include "contract/plan.hpp"' '#include <toml++/toml.h>'
expect 'a planner that keeps the rules passes' 0 'keep the rules'
fresh; put planner/study.cpp '#include <torch/torch.h>'
expect 'a planner with a torch header fails' 1 'planner/study.cpp:2: LibTorch (torch/torch.h) may only be seen by trainer/*'
fresh; put planner/study.cpp '#include <ATen/ATen.h>'
expect 'a planner with an ATen header fails' 1 'LibTorch (ATen/ATen.h)'
fresh; put planner/study.cpp '#include "trainer/trainer.hpp"'
expect 'a planner that includes the trainer fails' 1 'planner may not include trainer'
fresh; put planner/study.hpp '#include <toml++/toml.h>'
expect 'a header that shows a third-party library fails' 1 'toml++ (toml++/toml.h)'
fresh; put runner/poll.cpp '#include "analysis/frame.hpp"'
expect 'a runner that includes the analysis fails' 1 'runner may not include analysis'
fresh; put trainer/trainer.cpp '#include <mpi.h>'
expect 'MPI outside its file fails' 1 'MPI (mpi.h)'
fresh; put trainer/comm/mpi.cpp '#include <mpi.h>'
expect 'MPI in its file passes' 0 'keep the rules'
fresh; put trainer/trainer.cpp '#ifdef USE_NCCL' '#endif'
expect 'a conditional on NCCL fails' 1 'choose the .cpp at link time'
fresh; put trainer/comm/a.hpp '#include "trainer/sync/b.hpp"'; put trainer/sync/b.hpp '#include "trainer/comm/a.hpp"'
expect 'a folder cycle fails' 1 'folder cycle: trainer/comm -> trainer/sync -> trainer/comm'
fresh; printf 'int x;\n' >"$tree/base/x.cpp"
expect 'a file without the licence line fails' 1 'base/x.cpp:1: the SPDX line is missing'
fresh; put base/utils.hpp
expect 'a name that says nothing fails' 1 'base/utils.hpp: this name says nothing'
fresh; for i in {1..11}; do put "base/h$i.hpp"; done
expect 'a base that grows fails' 1 'base: 11 headers'
exit $failed
