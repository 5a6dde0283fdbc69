# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions that the end-to-end tests share. Sourced with the path of the built dlscale as $1.
# shellcheck disable=SC2034 # the scripts that source this use the variables
set -euo pipefail

dlscale=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
study=$here/study.toml
work=$(mktemp -d)
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  for file in "$PWD"/*.log "$PWD"/*/launch.jsonl "$PWD"/*/logs/* "$PWD"/*/runs/*/launch-*/stderr; do
    [[ ! -s $file || -d $file ]] || { echo "--- $file" >&2; cat "$file" >&2; }
  done
  exit 1
}

# processes PATTERN: prints the ids of the processes whose working directory is below the test
# folder and whose command line, with spaces between words, matches PATTERN.
processes() {
  local folder line
  for folder in /proc/[0-9]*; do
    [[ $(readlink "$folder/cwd" 2>/dev/null) == "$work"* ]] || continue
    line=$(tr '\0' ' ' 2>/dev/null <"$folder/cmdline") || continue
    [[ ! $line =~ $1 ]] || echo "${folder#/proc/}"
  done
}

# ranks: prints the ids of the ranks, without the mpirun that started them.
ranks() { processes '^[^ ]*dlscale-train --run'; }

# wait_for SECONDS COMMAND...: waits until the command succeeds.
wait_for() {
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < limit)) || fail "waited too long for: $*"
    sleep 0.1
  done
}

# expect CODE COMMAND...: runs the command with output to output.log and checks its exit code.
expect() {
  local expected=$1 code=0
  shift
  "$@" >output.log 2>&1 || code=$?
  [[ $code == "$expected" ]] || fail "exit code $code instead of $expected: $*"
}

says() { grep -qF -- "$1" "${2:-output.log}" || fail "\"$1\" is not in ${2:-output.log}"; }

# count TEXT FILE: prints the number of lines that contain the text.
count() { grep -cF -- "$1" "$2" || true; }

leave() {
  cd /
  local process
  for process in $(processes .); do kill -KILL "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap leave EXIT
