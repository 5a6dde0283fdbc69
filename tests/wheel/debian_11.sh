#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dlscale works on Debian 11, whose C library is older than the one of the machine that built it. Mirrors remove old
# releases at some time. Without Debian 11, the test "wheel: portable" still checks which functions the programs need.
# usage: debian_11.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_root bullseye optional
plan_and_submit
