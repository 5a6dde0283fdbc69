#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dlscale works on Debian 11, whose C library is older than the one of the machine that built it.
# usage: debian_11.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_root bullseye
plan_and_submit
