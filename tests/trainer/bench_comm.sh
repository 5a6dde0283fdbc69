#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dlscale-train --bench-comm between the processes of an MPI job.
# usage: bench_comm.sh DLSCALE_TRAIN MPIRUN
set -euo pipefail
trainer=$1
mpirun=("$2" --allow-run-as-root --oversubscribe --bind-to none -n 2)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "bench_comm.sh: $*" >&2
  exit 1
}

"${mpirun[@]}" "$trainer" --bench-comm --collectives all --max 64KiB --factor 16 --iterations 3 \
  -o "$folder/comm.jsonl" > "$folder/table"
grep -q '^mpi between 2 ranks of 1 node, fp32' "$folder/table" || fail "no heading: $(cat "$folder/table")"
[ "$(grep -c '"record":"comm"' "$folder/comm.jsonl")" = 16 ] || fail "not 4 sizes of 4 collectives"
[ "$(grep -c '"ranks":2,.*"wrong":0' "$folder/comm.jsonl")" = 16 ] || fail "ranks or results are wrong"

# A part of a line that a killed job has left is taken away; whole ones stay.
printf '{"record":"comm","alg' >> "$folder/comm.jsonl"
"${mpirun[@]}" "$trainer" --bench-comm --all-reduce ring --max 4 --iterations 3 \
  -o "$folder/comm.jsonl" > /dev/null
[ "$(grep -c '^{"record":"comm",.*}$' "$folder/comm.jsonl")" = 17 ] || fail "the file was not gone on with"
grep -q '"algorithm":"ring"' "$folder/comm.jsonl" || fail "the all-reduce that was asked for is not there"

set +e
"${mpirun[@]}" "$trainer" --bench-comm --maxx 4 > /dev/null 2> "$folder/err"
code=$?
set -e
[ "$code" = 2 ] || fail "a wrong option ended with $code"
[ "$(grep -c '^dlscale-train: unknown option "--maxx"; did you mean "--max"?' "$folder/err")" = 1 ] ||
  fail "a wrong option was not told once: $(cat "$folder/err")"
