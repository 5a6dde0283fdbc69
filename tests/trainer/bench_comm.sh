#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests `dlscale-bench comm` between the processes of an MPI job.
# usage: bench_comm.sh DLSCALE_BENCH MPIRUN
set -euo pipefail
bench=$1
mpirun=("$2" --allow-run-as-root --oversubscribe --bind-to none -n 2)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "bench_comm.sh: $*" >&2
  exit 1
}

"${mpirun[@]}" "$bench" comm --collectives all --max 64KiB --factor 16 --iterations 3 \
  -o "$folder/comm.jsonl" > "$folder/table"
grep -q '^mpi between 2 ranks on 1 node, fp32' "$folder/table" || fail "no heading: $(cat "$folder/table")"
[ "$(grep -c '"record":"comm"' "$folder/comm.jsonl")" = 20 ] || fail "not 4 sizes of 5 collectives"
[ "$(grep -c '"ranks":2,.*"wrong":0' "$folder/comm.jsonl")" = 20 ] || fail "ranks or results are wrong"

# A new job removes the incomplete line that a killed job has left in the file, and keeps the complete lines.
printf '{"record":"comm","alg' >> "$folder/comm.jsonl"
"${mpirun[@]}" "$bench" comm --all-reduce ring --max 4 --iterations 3 \
  -o "$folder/comm.jsonl" > /dev/null
[ "$(grep -c '^{"record":"comm",.*}$' "$folder/comm.jsonl")" = 21 ] || fail "the file was not gone on with"
grep -q '"algorithm":"ring"' "$folder/comm.jsonl" || fail "the all-reduce that was asked for is not there"

set +e
"${mpirun[@]}" "$bench" comm --maxx 4 > /dev/null 2> "$folder/err"
code=$?
set -e
[ "$code" = 2 ] || fail "a wrong option ended with $code"
[ "$(grep -c '^dlscale-bench: unknown option "--maxx"; did you mean "--max"?' "$folder/err")" = 1 ] ||
  fail "a wrong option was not told once: $(cat "$folder/err")"

# dlscale-train rejects the former options for the benchmarks and names the new command of each benchmark.
train=$(dirname "$bench")/dlscale-train
for moved in "--bench-comm comm" "--bench-kernels kernels" "--bench-loader loader" "--fit-kernels fit"; do
  read -r option command <<< "$moved"
  status=0
  "$train" "$option" 2> "$folder/err" || status=$?
  [[ $status == 2 ]] || fail "$option ends with $status"
  grep -qx "dlscale-train: $option is now the command dlscale-bench $command" "$folder/err" || fail "$option: $(< "$folder/err")"
done
status=0
"$bench" com 2> "$folder/err" || status=$?
[[ $status == 2 ]] && grep -q 'did you mean "comm"' "$folder/err" || fail "an unknown command: $status, $(< "$folder/err")"
