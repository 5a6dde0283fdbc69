#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pip install 'dlscale[train]' installs dlscale and its trainer. Empty wheels stand in for PyTorch and Open MPI.
# usage: extras.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_stand_ins "$work/stand-ins"
python3 -m venv "$work/env" 2>"$work/venv" || skip "python3 cannot make an environment: $(tail -n 1 "$work/venv")"
install() {
  env -u PIP_FIND_LINKS "$work/env/bin/pip" --disable-pip-version-check install --quiet --no-index \
    --find-links "$wheels" --find-links "$work/stand-ins" "$@"
}
install dlscale
[[ -x $work/env/bin/dlscale ]] || fail "dlscale is not installed"
[[ ! -e $work/env/bin/dlscale-train ]] || fail "dlscale alone installs the trainer"
code=0
"$work/env/bin/dlscale" demo "$work/demo" >"$work/out" 2>"$work/err" || code=$?
[[ $code == 2 ]] || fail "demo without a trainer ended with $code"
says "pip install 'dlscale[train]'" "$work/err"
[[ ! -e $work/demo ]] || fail "demo without a trainer wrote a folder"

install 'dlscale[train]'
[[ -x $work/env/bin/dlscale-train && -x $work/env/bin/dlscale-bench ]] || fail "the extra does not install the trainer"
[[ -f $work/env/share/dlscale/capabilities.json ]] || fail "the extra does not install the capabilities of the trainer"
"$work/env/bin/pip" --disable-pip-version-check uninstall --quiet --yes dlscale dlscale-train
[[ -z $(find "$work/env" -path "*/share/dlscale/*" -type f) ]] || fail "uninstalling leaves files"
