#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The accuracy-vs-batch study, reduced to 12,000 images of real MNIST, three batches and one
# schedule. With a linearly scaled learning rate a batch of 4,096 is too large for this data. The
# base learning rate is doubled because this study has only a fifth of MNIST's images.
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

if [[ ! -d ${DLSCALE_TEST_DATA:-/nowhere}/mnist ]]; then
  echo "skipped: DLSCALE_TEST_DATA does not name a folder with mnist/"
  exit 77
fi
export DATA=$DLSCALE_TEST_DATA
expect 0 "$dlscale" run "$here/../../examples/studies/accuracy-vs-batch/study.toml" --site local -o study --no-figures \
  -S 'matrix.global_batch=[32, 256, 4096]' -S 'matrix.lr_schedule=["cosine"]' -S study.repeats=2 \
  -S training.lr.base=0.005 -S training.dataset.train_samples=12000 -S training.dataset.test_samples=2000
says "6/6 runs"

# median BATCH: final accuracy of the global batch.
median() { grep -v '^#' study/tables/accuracy.csv | awk -F, -v batch="$1" '$3 == batch {print $6}'; }
holds() { awk "BEGIN {exit !($1)}" || fail "not so: $1; $(cat study/tables/accuracy.csv)"; }
holds "$(median 32) > 0.92"
holds "$(median 256) > 0.90"
holds "$(median 4096) < $(median 256) - 0.2"
