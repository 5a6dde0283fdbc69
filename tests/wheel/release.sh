#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/release makes the same wheels, source archive and hashes each time, and the archive knows its commit.
# usage: release.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

build=$(realpath "$2")
commit=$(git -C "$source_tree" rev-parse --short=9 HEAD 2>/dev/null) || skip "this tree is not a git repository"
git clone --quiet --no-local --depth 1 "file://$source_tree" "$work/tree" 2>"$work/err" ||
  skip "$(tail -n 1 "$work/err")"
cd "$work/tree"
tools/release --no-build -b "$build" -o "$work/first" >/dev/null
tools/release --no-build -b "$build" -o "$work/second" >/dev/null
(cd "$work/first" && sha256sum --quiet --check SHA256SUMS) || fail "the hashes do not match the files"
[[ $(wc -l <"$work/first/SHA256SUMS") -ge 3 ]] || fail "the wheels or the source archive are missing"
cmp "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" || fail "two releases of one commit differ"

tar -C "$work" -xf "$work/first/dlscale-$version.tar.gz"
[[ $(cat "$work/dlscale-$version/cmake/source_commit.txt") == "${commit:0:7}"* ]] || fail "the archive has no commit"
cmake -DSOURCE="$work/dlscale-$version" -DBUILD=test -DOUTPUT="$work/info.cpp" -P cmake/BuildInfo.cmake
says "kCommit = \"${commit:0:7}" "$work/info.cpp"

echo "// a change" >>cli/main.cpp
code=0
tools/release --no-build -b "$build" -o "$work/third" 2>"$work/err" || code=$?
[[ $code == 1 && ! -e $work/third ]] || fail "a tree with changes was released"
says "not committed" "$work/err"
