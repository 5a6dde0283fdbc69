#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the trainer's declarations of DALI's C API equal those in DALI's header.
#   abi_test.sh SOURCE_DIR COMPILER
set -euo pipefail

source_dir=$1 compiler=$2
dali=$("$source_dir/tools/setup" --print-dali)
if [[ ! -f $dali/include/dali/dali.h ]]; then
  echo "skipped: DALI's header is not there; run tools/setup --dali"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The header needs two type names of CUDA.
cat >"$folder/cuda_runtime_api.h" <<'H'
#include <stddef.h>
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
H
"$compiler" -std=c++20 -I"$folder" -isystem "$dali/include" -I"$source_dir" -o "$folder/check" \
  "$source_dir/tests/trainer/data/dali/abi_check.cpp"
"$folder/check"
# The check can fail: a declaration with one argument less is found out.
mkdir -p "$folder/trainer/data/dali"
sed 's/(\*PipelineRun)(PipelineHandle)/(*PipelineRun)()/' "$source_dir/trainer/data/dali/abi.hpp" \
  >"$folder/trainer/data/dali/abi.hpp"
if "$compiler" -std=c++20 -fsyntax-only -I"$folder" -isystem "$dali/include" \
  "$source_dir/tests/trainer/data/dali/abi_check.cpp" 2>"$folder/said"; then
  echo "a wrong declaration was not noticed" >&2
  exit 1
fi
grep -q 'PipelineRun' "$folder/said"
