# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copies what tests run as another user to a place that every user can read. OAR runs its jobs and the
# commands of its tests as a user of its own, who cannot enter a checkout below a private folder, such
# as the home of root.
umask 022 # a private umask would hide the copies, too

# copy_for_all_users FOLDER: creates FOLDER and copies the test scripts and the data folders of dlscale
# (sites, templates, share) into it. The paths inside FOLDER are the same as in a checkout.
copy_for_all_users() {
  local checkout
  checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  mkdir -p "$1/tests"
  cp -R "$checkout"/{sites,templates,share} "$1/"
  cp -R "$checkout"/tests/{e2e,faults,schedulers,support} "$1/tests/"
  chmod -R a+rX "$1"
}
