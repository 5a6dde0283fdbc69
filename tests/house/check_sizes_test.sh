#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The size checker finds what it is there to find. Argument: the source tree.
set -euo pipefail
source_tree=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/base"
failed=0

lines() { for ((i = 0; i < $1; ++i)); do echo "$2"; done; }
expect() { # what, exit status, text in the output
  local status=0 output
  output=$("$source_tree/tools/check_sizes" "$tree") || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    printf 'FAILED: %s\n  expected exit %s and: %s\n  got exit %s and: %s\n' "$1" "$2" "$3" "$status" "$output"
    failed=1
  fi
  rm -f "$tree"/base/*
}

lines 200 'int a;' >"$tree/base/a.hpp"; expect 'a header of 200 lines passes' 0 'within the limits'
lines 201 'int a;' >"$tree/base/a.hpp"; expect 'a header of 201 lines fails' 1 'base/a.hpp: 201 lines, at most 200'
lines 401 'int a;' >"$tree/base/a.cpp"; expect 'a source of 401 lines fails' 1 'base/a.cpp: 401 lines, at most 400'
{ echo '// size: a table of 300 physical constants'; lines 500 'int a;'; } >"$tree/base/a.cpp"
expect 'a long file that says why passes' 0 'within the limits'
{ echo 'int f(int a) {'; lines 58 '  ++a;'; echo '}'; } >"$tree/base/a.cpp"
expect 'a function of 60 lines passes' 0 'within the limits'
{ echo 'int f(int a) {'; lines 59 '  ++a;'; echo '}'; } >"$tree/base/a.cpp"
expect 'a function of 61 lines fails' 1 'base/a.cpp:1: function of 61 lines, at most 60'
printf '%s\n' 'int f(int a, int b,' '      std::map<int, int> c, int d, int e, int f) {' '}' >"$tree/base/a.cpp"
expect 'six parameters fail' 1 'base/a.cpp:1: 6 parameters, at most 5'
printf '%s\n' 'int f(int a, int b,' '      std::map<int, int> c, int d, int e) {' '}' >"$tree/base/a.cpp"
expect 'five parameters pass, commas inside a type not counted' 0 'within the limits'
{ echo 'class A {'; lines 6 '  virtual void f() = 0;'; echo '};'; } >"$tree/base/a.hpp"
expect 'an interface of six virtual members fails' 1 'base/a.hpp:1: A has 6 virtual members, at most 5'
printf '// %099d\n' 0 >"$tree/base/a.cpp"; expect 'a line of 102 columns fails' 1 'base/a.cpp:1: 102 columns'
exit $failed
