#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The framework x loader study, reduced to its small model, two ranks and one repetition.
# The tool packs the photographs, and every framework style trains with every loader.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

tool=$here/../../tools/loader_study
programs=$(dirname "$dlscale")

expect 2 "$tool" --programs "$programs" -o small nowhere
says "nowhere is not a folder"
mkdir empty
expect 2 "$tool" --programs "$programs" -o small empty
says "has neither train nor archives"

# A results folder stays bound to the photographs of the first command that used the folder, even if the command failed.
mkdir -p one/train two/train
one=$(realpath one) two=$(realpath two)
for _ in 1 2; do
  expect 2 "$tool" --programs "$programs" -o kept one
  says "kept/data/files/train has no class folder"
done
expect 2 "$tool" --programs "$programs" -o kept two
says "kept belongs to the photographs in $one; choose another folder with -o for $two"
[[ $(readlink kept/data/files) == "$one" ]] || fail "the photographs were replaced all the same"
rm kept/data/source
expect 2 "$tool" --programs "$programs" -o kept one
says "kept does not record its photographs; choose another folder with -o for $one"

if [[ ! -d ${DLSCALE_TEST_DATA:-/nowhere}/clothing10 ]]; then
  echo "skipped: DLSCALE_TEST_DATA does not name a folder with clothing10/"
  exit 77
fi

expect 0 "$tool" --programs "$programs" -o small "$DLSCALE_TEST_DATA/clothing10" --no-figures \
  -S study.repeats=1 -S study.baseline=per-curve -S 'matrix.model=["mlp"]' -S 'matrix.gpus=[2]' -S training.epochs=4

# has LOADER PATH: checks that the table has rows for LOADER with the files in PATH, for each
# framework style.
has() {
  [[ $(grep -cE "^mlp,2,(ddp|horovod|deepspeed),$1,\\\$DATA/$2," small/loaders.csv) == 3 ]] ||
    fail "$1 on $2 is not in the table in three styles: $(cat small/loaders.csv)"
}
has synthetic files
has packed raw256
has packed jpeg256
has native files
if "$programs/dlscale-train" --version | grep -q '^ *dali  *no: '; then
  grep -qF '"NVIDIA DALI' small/study/plan.json || fail "no word on why DALI is left out"
else
  has dali_cpu files
fi

# share LOADER PATH: prints the share of step time spent waiting for data, summed over the styles.
share() {
  awk -F, -v loader="$1" -v path="\$DATA/$2" '$4 == loader && $5 == path {sum += $NF} END {print sum}' small/loaders.csv
}
# The waiting time varies, so only check that the table has a positive value.
awk "BEGIN {exit !($(share native files) > 0)}" || fail "no time waited for files: $(cat small/loaders.csv)"
grep -qE '^\| mlp \| 2 \| native \| files \| [0-9]+ \([0-9.]+ %\) \| ' small/loaders.md || fail "no native in loaders.md"
for figure in loaders-breakdown-2 loaders-load-share; do
  [[ -s small/$figure.svg ]] || fail "no $figure.svg"
done
grep -qF '"ddp, native, $DATA/files, 2 ranks",' small/loaders-breakdown-2.csv || fail "no native in the figure"
