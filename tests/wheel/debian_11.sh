#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dlscale works on Debian 11, whose C library is older than the C library of the build machine. Mirrors remove old
# releases after some years, and this test is then skipped. The test "wheel: portable" still checks which functions of
# the C library the programs need.
# usage: debian_11.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_root bullseye optional
plan_and_submit
