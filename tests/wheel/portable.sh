#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs in the wheels need glibc 2.28 at most, and libraries that every system or the environment has.
# usage: portable.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

# newest SET PROGRAM: prints the newest version of a set of symbol versions that a program needs.
newest() { readelf -V "$2" | { grep -oE "\b$1_[0-9.]+" || true; } | sort -uV | tail -n 1; }

needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | LC_ALL=C sort | tr '\n' ' '; }

for name in dlscale dlscale_train dlscale_train_cuda; do
  [[ -f $(wheel "$name") ]] || continue
  for program in "$(unpacked "$name")/$name-$version".data/scripts/*; do
    newest=$(newest GLIBC "$program")
    [[ $(printf 'GLIBC_2.28\n%s\n' "$newest" | sort -V | tail -n 1) == GLIBC_2.28 ]] || fail "$program needs $newest"
    # LibTorch itself needs these versions of libstdc++. The program dlscale needs no libstdc++.
    for limit in GLIBCXX_3.4.22 CXXABI_1.3.11; do
      newest=$(newest "${limit%_*}" "$program")
      [[ $(printf '%s\n' "$limit" "$newest" | sort -V | tail -n 1) == "$limit" ]] || fail "$program needs $newest"
    done
    [[ $(needed "$program") != *libmpi_cxx* ]] || fail "$program needs the C++ functions of MPI"
  done
done
system="ld-linux-x86-64.so.2 libc.so.6 libdl.so.2 libgcc_s.so.1 libm.so.6 libpthread.so.0 librt.so.1 "
cli=$work/dlscale/dlscale-$version.data/scripts/dlscale
[[ $(needed "$cli") == "$system" ]] || fail "$cli needs $(needed "$cli")"

[[ -d $kept/auditwheel ]] || skip "auditwheel is not installed; run tools/setup --roots"
PYTHONPATH=$kept/auditwheel python3 -m auditwheel show "$(wheel dlscale)" >"$work/audit" 2>&1 ||
  { cat "$work/audit" >&2; fail "auditwheel rejects the wheel"; }
tr '\n' ' ' <"$work/audit" >"$work/audit.line"
says 'consistent with the following platform tag: "manylinux_2_28_x86_64"' "$work/audit.line"
