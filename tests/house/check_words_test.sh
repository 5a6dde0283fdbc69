#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/check_words reports odd texts and exits with status 1. Argument: the source tree.
set -euo pipefail
source_tree=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/base" "$tree/docs" "$tree/tools"
failed=0

expect() { # arguments: name of the check, exit code, text in the output
  local status=0 output
  output=$("$source_tree/tools/check_words" "$tree" 2>&1) || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    printf 'FAILED: %s\n  expected exit %s and: %s\n  got exit %s and: %s\n' "$1" "$2" "$3" "$status" "$output"
    failed=1
  fi
}

comment() { printf '// SPDX-License-Identifier: Apache-2.0\n%s\nint f();\n' "$1" >"$tree/base/a.hpp"; }

: >"$tree/tools/word_exceptions.txt"
comment '/// Returns the number of ranks.'
expect 'a plain comment passes' 0 '0 findings'
comment '/// Of an image.'
expect 'a comment that begins with Of is found' 1 'base/a.hpp:2: comment begins with "Of": Of an image.'
comment '/// Stops when nobody waits.'
expect 'an odd word is found' 1 'contains "nobody"'
comment '/// Fails if a value is no number.'
expect '"is no" is found' 1 'contains "is no"'
comment '/// Ends when there is no rank, or when a rank is no longer there.'
expect '"there is no" and "is no longer" pass' 0 '0 findings'
printf '%0121d\n' 0 >"$tree/docs/a.md"
expect 'a long line of a page is found' 1 'docs/a.md:1: line has 121 columns, at most 120'
printf '| %0121d |\n' 0 >"$tree/docs/a.md"
expect 'a long row of a table passes' 0 '0 findings'
comment '/// Of an image.'
echo 'base/a.hpp: Of an image  # a quotation' >"$tree/tools/word_exceptions.txt"
rm "$tree/docs/a.md"
for i in $(seq 40); do printf '/// Returns the number of ranks.\nint f%s();\n' "$i"; done >>"$tree/base/a.hpp"
expect 'an exception with a reason passes' 0 '0 findings'
for i in $(seq 21); do echo "base/a.hpp: text $i  # a quotation"; done >"$tree/tools/word_exceptions.txt"
expect 'more than 20 exceptions are rejected' 1 '21 exceptions, at most 20'
exit $failed
