#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plans, submits and collects a reduced version of a published study: the study of NEF on a real OAR, or the study of
# JUWELS on a real SLURM. Options -S reduce the published study file.
# usage: published_on_cluster.sh DLSCALE nef|juwels
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"
# shellcheck source=cluster/readable_programs.bash
source "$here/cluster/readable_programs.bash"

name=$2
root=$(cd "$here/../.." && pwd)
# Small photographs on one and two ranks of nodes without GPUs.
cut=(-S study.repeats=1 -S 'study.baseline={gpus = 1}' -S 'matrix.gpus=[1, 2]'
  -S training.dataset.train_samples=16 -S training.dataset.test_samples=8 -S training.dataset.image_size=32
  -S training.loader_options.threads=1)
case $name in
  nef)
    kind=oar runs=4
    cut+=(-S 'matrix.global_batch=[8, 16]' -S 'exclude=[]')
    ;;
  juwels)
    kind=slurm runs=6
    cut+=(-S 'matrix.batch_per_gpu=[4]' -S training.epochs=2 -S training.warmup_epochs=0 -S training.precision=fp32
      -S "training.schedules.step.milestones=[1]" -S resources.walltime=00:05:00
      -S "exclude=[{when = '''!(substudy == \"frameworks\" && loader == \"native\")''', why = 'not part of the test'}]")
    ;;
esac

if [[ ${3:-} == inside ]]; then
  cd "$4"
  expect 0 "$dlscale" submit study --poll 2
  expect 0 "$dlscale" wait study --poll 2
  exit 0
fi

if [[ ! -d ${DLSCALE_TEST_DATA:-/nowhere}/clothing10 ]]; then
  echo "skipped: DLSCALE_TEST_DATA does not name a folder with clothing10/"
  exit 77
fi
readable=$PWD/opt
place_programs "$dlscale" "$readable"
mkdir -p data/photographs
for archive in "$DLSCALE_TEST_DATA"/clothing10/*.tar; do tar -xf "$archive" -C data/photographs; done
site_of "$kind" "$readable" "$readable/bin/dlscale-train.real" >site.toml
expect 0 "$dlscale" plan "$root/examples/studies/$name/study.toml" --site site.toml -o study \
  -S "training.dataset.path=$PWD/data/photographs" "${cut[@]}"
says "$name: $runs runs in"
chmod -R a+rwX .

# shellcheck source=../support/readable.bash
source "$root/tests/support/readable.bash"
copy_for_all_users checkout
code=0
"$root/tests/support/${kind}_cluster.sh" --running --site site.toml \
  "$PWD/checkout/tests/e2e/published_on_cluster.sh" "$readable/bin/dlscale" "$name" inside "$PWD" || code=$?
[[ $code == 0 ]] || exit "$code"
expect 0 "$dlscale" collect study
[[ $("$dlscale" list study --csv | grep -c ',done,') == "$runs" ]] || fail "not all runs are done: $("$dlscale" list study)"
[[ -s study/tables/efficiency.csv ]] || fail "no table of efficiencies"
expect 0 "$dlscale" compare study --findings "$root/examples/studies/$name/findings.toml"
