#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheels are small, contain the shared data and licences, and do not depend on the time of their making.
# usage: contents.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

readonly kMostBytes=$((12 * 1000 * 1000))
for name in dlscale dlscale_train; do [[ -f $(wheel $name) ]] || fail "there is no wheel of $name"; done
for file in "$wheels"/*.whl; do
  [[ $(stat -c %s "$file") -le $kMostBytes ]] || fail "$file has more than 12 MB"
done

cli=$(unpacked dlscale) trainer=$(unpacked dlscale_train)
share=$cli/dlscale-$version.data/data/share
for folder in templates sites cards devices proposals references studies; do
  [[ -n $(ls "$share/dlscale/$folder") ]] || fail "the wheel has no $folder"
done
[[ -f $share/dlscale/studies/demo/study.toml ]] || fail "the wheel has no demo study"
diff -r "$source_tree/templates" "$share/dlscale/templates" || fail "the templates differ from the source tree"
for file in bash-completion/completions/dlscale zsh/site-functions/_dlscale fish/vendor_completions.d/dlscale.fish; do
  [[ -s $share/$file ]] || fail "the wheel has no $file"
done
[[ -f $cli/dlscale/__init__.py ]] || fail "the wheel has no Python package"
says "__version__ = \"$version\"" "$cli/dlscale/__init__.py"
[[ -f $trainer/dlscale_train-$version.data/data/share/dlscale/capabilities.json ]] || fail "no capabilities"

# A licence of each library on the link line of the build comes with the programs.
for folder in "$cli/dlscale-$version.dist-info" "$trainer/dlscale_train-$version.dist-info"; do
  for name in dlscale simdjson gcc-12-base libfmt-dev libssl-dev zlib1g-dev libjpeg62-turbo-dev; do
    [[ -s $folder/licenses/$name.txt ]] || fail "there is no licence of $name in $folder"
  done
done

# The trainer requires the minor version of LibTorch that it was built with.
torch=$(sed -n 's/^torch==\([0-9]*\.[0-9]*\).*/\1/p' "$source_tree/tools/libtorch.txt")
says "Requires-Dist: torch==$torch.*" "$trainer/dlscale_train-$version.dist-info/METADATA"
