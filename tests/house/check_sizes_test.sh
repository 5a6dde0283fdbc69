#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/check_sizes lists long files, functions and interfaces, and exits with 0. Argument: the source tree.
set -euo pipefail
source_tree=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/base"
failed=0

lines() { for ((i = 0; i < $1; ++i)); do echo "$2"; done; }
expect() { # arguments: name of the check, text in the output
  local status=0 output
  output=$("$source_tree/tools/check_sizes" "$tree") || status=$?
  if [[ $status -ne 0 || $output != *"$2"* ]]; then
    printf 'FAILED: %s\n  expected exit 0 and: %s\n  got exit %s and: %s\n' "$1" "$2" "$status" "$output"
    failed=1
  fi
  rm -f "$tree"/base/*
}

lines 200 'int a;' >"$tree/base/a.hpp"; expect 'a header of 200 lines is not listed' 'sizes: 0 findings, 1 files, median of 200 lines'
lines 201 'int a;' >"$tree/base/a.hpp"; expect 'a header of 201 lines is listed' 'base/a.hpp: 201 lines; most have at most 200'
lines 400 'int a;' >"$tree/base/a.cpp"; expect 'a source of 400 lines is not listed' '0 findings'
lines 401 'int a;' >"$tree/base/a.cpp"; expect 'a source of 401 lines is listed' 'base/a.cpp: 401 lines; most have at most 400'
{ echo '// size: a table of 300 physical constants'; lines 500 'int a;'; } >"$tree/base/a.cpp"
expect 'no comment leaves a file out' 'base/a.cpp: 501 lines'
{ echo 'int f(int a) {'; lines 58 '  ++a;'; echo '}'; } >"$tree/base/a.cpp"
expect 'a function of 60 lines is not listed' '0 findings'
{ echo 'int f(int a) {'; lines 59 '  ++a;'; echo '}'; } >"$tree/base/a.cpp"
expect 'a function of 61 lines is listed' 'base/a.cpp:1: function of 61 lines; most have at most 60'
printf '%s\n' 'int f(int a, int b,' '      std::map<int, int> c, int d, int e, int f) {' '}' >"$tree/base/a.cpp"
expect 'six parameters are listed' 'base/a.cpp:1: 6 parameters; most have at most 5'
printf '%s\n' 'int f(int a, int b,' '      std::map<int, int> c, int d, int e) {' '}' >"$tree/base/a.cpp"
expect 'commas inside a type are not counted as parameters' '0 findings'
{ echo 'class A {'; lines 6 '  virtual void f() = 0;'; echo '};'; } >"$tree/base/a.hpp"
expect 'an interface of six virtual members is listed' 'base/a.hpp:1: A has 6 virtual members; most have at most 5'
printf '// %099d\n' 0 >"$tree/base/a.cpp"; expect 'a line of 102 columns is listed' 'base/a.cpp:1: 102 columns'
expect 'a tree without sources is reported' 'sizes: 0 findings, 0 files'
status=0
"$source_tree/tools/check_sizes" "$tree" "$tree" >/dev/null || status=$?
[[ $status -eq 2 ]] || { echo "FAILED: two trees are a usage error (got exit $status)"; failed=1; }
status=0
"$source_tree/tools/check_sizes" "$tree/none" 2>/dev/null || status=$?
[[ $status -eq 2 ]] || { echo "FAILED: a tree that does not exist is a usage error (got exit $status)"; failed=1; }
exit $failed
