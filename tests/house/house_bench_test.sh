#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/house_bench.py counts and times two commits of a small repository. Argument: the source tree.
set -euo pipefail
bench=$1/bench/house_bench.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 TMPDIR=$work
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
if ! git --version >/dev/null 2>&1; then
  echo 'SKIPPED: git is not installed'
  exit 77
fi
mkdir "$work/tree"
cd "$work/tree"
failed=0

lines() { for ((i = 0; i < $1; ++i)); do echo "$2"; done; }
commit() {
  git add -A
  git -c user.name=test -c user.email=test@example.org commit -q -m "$1"
}
expect() { # arguments: name of the check, exit status, text in the output, arguments of the bench
  local status=0 output
  output=$("$bench" "${@:4}" 2>&1) || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    printf 'FAILED: %s\n  expected exit %s and: %s\n  got exit %s and: %s\n' "$1" "$2" "$3" "$status" "$output"
    failed=1
  fi
}

git init -q .
mkdir -p cli base docs .hidden tests examples bench
lines 10 'int a;' >base/a.cpp
lines 20 'int a;' >cli/options.hpp
{ echo 'extern const CommandEntry plan_entry;'; echo 'const CommandEntry plan_entry{'; lines 28 '// x'; } >cli/plan.cpp
{ echo '  for (const CommandEntry* entry : table)'; lines 39 '// x'; } >cli/main.cpp
for folder in tests examples bench; do lines 1000 'int a;' >$folder/large.cpp; done
lines 1000 '# x' >cli/CMakeLists.txt
lines 1000 'x' >docs/page.md
touch .hidden/file
commit before
mkdir -p cli/verbs share
git mv cli/plan.cpp cli/verbs/plan.cpp
echo '// x' >>cli/verbs/plan.cpp
touch share/data.toml
cat >CMakePresets.json <<'PRESETS'
{ "version": 6, "configurePresets": [{ "name": "tiny", "binaryDir": "${sourceDir}/elsewhere" }] }
PRESETS
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(tiny LANGUAGES NONE)' \
  'if(DLSCALE_CCACHE OR NOT DEFINED DLSCALE_CCACHE)' '  message(FATAL_ERROR "ccache is on")' 'endif()' \
  'add_custom_target(all_files ALL COMMAND ${CMAKE_COMMAND} -E touch built)' >CMakeLists.txt
commit after
lines 500 'int a;' >base/not_committed.cpp

expect 'C++ files outside tests, examples and bench are counted' 0 '| C++ files | 4 | 4 | 1.00 |' HEAD^
expect 'the median of an even number of files may be a half' 0 '| median lines of a file | 25 | 25.5 | 1.02 |' HEAD^
expect 'the largest flat folder is counted without subfolders' 0 \
  '| files in the largest flat folder | 3 (`cli/`) | 2 (`cli/`) | 0.67 |' HEAD^
expect 'the lines of cli are counted with subfolders' 0 '| lines in `cli/` | 90 | 91 | 1.01 |' HEAD^
expect 'a file that only names CommandEntry is not a verb' 0 \
  '| lines of the longest verb | 30 (`cli/plan.cpp`) | 31 (`cli/verbs/plan.cpp`) | 1.03 |' HEAD^
expect 'root folders are counted without hidden ones' 0 '| root folders | 3 | 4 | 1.33 |' HEAD^ HEAD
expect 'the page names commits by their hashes' 0 \
  "bench/house_bench.py $(git rev-parse --short HEAD^) $(git rev-parse --short HEAD)" HEAD^
expect 'a name that is not a commit is a usage error' 2 'nothing: no commit of' nothing
expect 'a number of builds below 1 is a usage error' 2 'argument --repeats' HEAD^ --repeats 0
(cd "$work" && expect 'a folder without a repository is a usage error' 2 'not a git repository' HEAD; exit $failed) || failed=1
expect 'the page is written to the file of -o' 0 '' HEAD^ -o "$work/page.md"
grep -q '^# Size of the source tree' "$work/page.md" || { echo 'FAILED: no page'; failed=1; }

if command -v cmake >/dev/null; then
  expect 'builds are timed' 0 '| build from nothing, median (range), s | ' HEAD HEAD --build tiny --repeats 2
  expect 'builds of the two commits take turns' 0 'build 2 of 2' HEAD HEAD --build tiny --repeats 2
  expect 'a build that fails is reported with its output' 1 'cmake --preset tiny' HEAD^ HEAD --build tiny
  [[ -z $(find "$work" -mindepth 1 -maxdepth 1 -name 'dlscale-house-bench-*') ]] ||
    { echo 'FAILED: clones are left behind'; failed=1; }
fi
exit $failed
