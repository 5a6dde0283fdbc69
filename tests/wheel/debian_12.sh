#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dlscale and its trainer work on a Debian 12 without a compiler, with PyTorch and Open MPI from pip.
# usage: debian_12.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_root bookworm
plan_and_submit

# Without /proc, dlscale finds its data by the path with which it was started.
umount "$work/root/proc"
as_user "dlscale/bin/dlscale plan dlscale/share/dlscale/studies/demo/study.toml --site nef -o without-proc" \
  >"$work/plan"
says "files written" "$work/plan"
mount -t proc proc "$work/root/proc"

# The environment ~/train of this Debian has PyTorch and Open MPI from pip. It is not activated, so that mpirun is not
# in PATH.
as_user "train/bin/pip install --quiet --no-deps --find-links dist dlscale dlscale-train"
as_user "train/bin/dlscale doctor" >"$work/doctor" || { cat "$work/doctor" >&2; fail "doctor found a fault"; }
says "MPI library   the trainer loads /home/user/train/lib/libmpi.so.40, which was installed with the trainer" \
  "$work/doctor"
as_user "train/bin/dlscale demo -S training.epochs=1 -S study.repeats=1 -S 'matrix.framework=[\"ddp\"]' \
  -S 'matrix.lr_schedule=[\"step\"]' -S 'matrix.batch_per_gpu=[32]'" >"$work/demo" 2>&1 ||
  { cat "$work/demo" >&2; fail "the demo ended with an error"; }
says "2 of 2 runs used" "$work/demo"
says "The report of the demo study: /home/user/dlscale-demo/report/report.html" "$work/demo"
as_user "test -s dlscale-demo/report/report.html" || fail "the demo wrote no report"
