#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# EasyBuild accepts the easyconfig in recipes/, installs the wheel with it, and the module that it makes works.
# usage: easybuild.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

[[ -d $kept/easybuild ]] || skip "EasyBuild is not installed; run tools/setup --roots"
recipe=$source_tree/recipes/easybuild/dlscale-$version.eb
[[ -f $recipe ]] || fail "there is no easyconfig of version $version in recipes/easybuild"
make_root bookworm-build
cp -r "$kept/easybuild" "$work/root/opt/easybuild"
install -o 1000 -g 1000 "$recipe" "$work/root/home/user/"
eb() {
  as_user "source /usr/share/modules/init/bash
    export PYTHONPATH=/opt/easybuild EASYBUILD_MODULES_TOOL=EnvironmentModules EASYBUILD_MODULE_SYNTAX=Tcl
    export EASYBUILD_PREFIX=~/software EASYBUILD_ROBOT_PATHS=~
    python3 -m easybuild.main ${recipe##*/} $*" >"$work/out" 2>&1 ||
    { cat "$work/out" >&2; fail "EasyBuild ended with an error"; }
}
eb --check-style
says "All style checks PASSed" "$work/out"
eb --check-conflicts
says "No conflicts detected" "$work/out"
eb --dry-run
says "(module: dlscale/$version)" "$work/out"
eb --sourcepath=dist
says "[SUCCESS] dlscale/$version" "$work/out"
as_user "source /usr/share/modules/init/bash
  module use software/modules/all
  module load dlscale
  command -v dlscale
  dlscale --version" >"$work/out"
says "/home/user/software/software/dlscale/$version/" "$work/out"
says "dlscale $version" "$work/out"
