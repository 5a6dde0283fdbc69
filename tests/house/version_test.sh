#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests that tools/version prints the version and reports each file that names another version.
# usage: version_test.sh SOURCE_TREE
set -euo pipefail
source_tree=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0
version=$("$source_tree/tools/version" "$source_tree")
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "FAILED: \"$version\" is not a version"; failed=1; }
recipe=recipes/easybuild/dlscale-$version.eb
files=(CITATION.cff CHANGELOG.md python/dlscale/__init__.py "$recipe" docs/install.md)

expect() { # arguments: name of the check, exit code, text in the output
  local status=0 output
  output=$("$source_tree/tools/version" --check "$tree" 2>&1) || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    printf 'FAILED: %s\n  expected exit %s and: %s\n  got exit %s and: %s\n' "$1" "$2" "$3" "$status" "$output"
    failed=1
  fi
}
copy() { (cd "$source_tree" && cp --parents CMakeLists.txt "${files[@]}" "$tree"); }

copy
expect 'files that name the version pass' 0 "$version"
for file in "${files[@]}"; do
  sed -i "s/${version//./\\.}/9.8.7/g" "$tree/$file"
  expect "another version in $file is found" 1 "$file does not name version $version of CMakeLists.txt"
  rm "$tree/$file"
  expect "a missing $file is found" 1 "$file does not name version $version of CMakeLists.txt"
  copy
done
sed -i 's/^project(dlscale .*/project(dlscale)/' "$tree/CMakeLists.txt"
expect 'a project without a version is reported' 1 'CMakeLists.txt states no version of the project dlscale'
exit $failed
