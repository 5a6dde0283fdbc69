#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A new framework style needs one file, one word in a CMakeLists.txt and one row of
# contract/run_spec/framework_styles.cpp. This test adds a style to a copy of the tracked files, builds both
# programs there, and plans and trains with the style.
# The copy keeps its build folder, so the next run of the test compiles only the changes.
# Arguments: source tree, folder of the copy, options of cmake.
# shellcheck source-path=SCRIPTDIR source=../e2e/support.bash
source_tree=$1 tree=$2
shift 2
# The build folder is as deep below the tree as those of the presets, so that ccache sees the same relative paths.
build=$tree/build/copy
source "$(dirname "$0")/../e2e/support.bash" "$build/bin/dlscale"
train=$build/bin/dlscale-train

if ! git -C "$source_tree" ls-files -z >listed; then
  echo "SKIPPED: $source_tree is not a git checkout, so its files cannot be told from others"
  exit 77
fi

# Skip tracked files that were deleted.
while IFS= read -r -d '' path; do
  [[ ! -e $source_tree/$path ]] || printf '%s\0' "$path"
done <listed >present

# Keep the file times, so that make and ninja rebuild only files that changed since the copy's last build.
mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
tar -C "$source_tree" --null -T present -cf - | tar -C "$tree" --no-same-owner -xf -

# The new style copies synchronous and reads one option of horovod.
style=one_by_one
file=trainer/sync/$style.cpp
list=trainer/sync/CMakeLists.txt
table=contract/run_spec/framework_styles.cpp
sed -e "s/synchronous/$style/g" -e 's/Synchronous/OneByOne/g' "$tree/trainer/sync/synchronous.cpp" >"$tree/$file"
sed -i "s/MEMBERS synchronous /&$style /" "$tree/$list"
row="{.name = \"$style\", .options = {\"cycle_time_ms\"}, .step_model = StepModel::each_gradient},"
sed -i "/{\.name = \"synchronous\"/i\      $row" "$tree/$table"

export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=true
expect 0 cmake -S "$tree" -B "$build" "$@" -DDLSCALE_TESTS=OFF
expect 0 cmake --build "$build" --parallel 2 --target dlscale dlscale-train

# sums FOLDER: prints the checksum and path of each regular file named on standard input.
sums() {
  (cd "$1" && while IFS= read -r -d '' path; do [[ -L $path ]] || printf '%s\0' "$path"; done | xargs -0 sha256sum)
}
sums "$source_tree" <present >before
(cd "$tree" && find . -path ./build -prune -o -type f -printf '%P\0') | sums "$tree" >after
sort before after | uniq -u | sed 's/^[0-9a-f]*  //' | sort -u >changed
printf '%s\n' "$file" "$list" "$table" | sort >expected
diff expected changed || fail "the copy differs from the source tree in other files than these three"

expect 0 "$train" --capabilities
says "\"$style\""

expect 0 "$dlscale" plan "$study" -o planned -S "matrix.framework=[\"$style\"]" \
  -S "training.frameworks.$style.cycle_time_ms=3"
runs=(planned/runs/*/run.json)
[[ ${#runs[@]} == 2 ]] || fail "${#runs[@]} runs instead of 2"
for run in "${runs[@]}"; do
  says "\"framework\": \"$style\"" "$run"
  says '"cycle_time_ms": 3' "$run"
  [[ $(count '"cache_capacity"' "$run") == 0 ]] || fail "$run has an option that $style does not read"
done
expect 2 "$dlscale" plan "$study" -o wrong -S "matrix.framework=[\"$style\"]" \
  -S "training.frameworks.$style.cache_capacity=3"
expect 2 "$dlscale" plan "$study" -o wrong -S 'matrix.framework=["one_by_tow"]'
says "did you mean \"$style\"?"

expect 0 "$dlscale" run "$study" -o trained --no-figures -S "matrix.framework=[\"$style\"]"
says "2/2 runs"
