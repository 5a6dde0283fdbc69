#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An ordinary user of a Debian 12 without some libraries configures a build after tools/setup --prefix.
# usage: prefix.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_root bookworm-build
missing=(fmt cli11 mustache libdeflate) # the libraries that tools/setup --roots does not install into this Debian
cache=$work/root/home/user/.cache/dlscale/sources
mkdir -p "$cache" "$work/root/home/user/tree" "$work/root/home/user/mirror"
for name in "${missing[@]}"; do
  file=$("$source_tree/tools/prefix/fetch_source" "$name" 2>"$work/err") || skip "$(tail -n 1 "$work/err")"
  cp "$file" "$cache/"
done
(cd "$source_tree" && git ls-files -z --cached | xargs -0 tar -cf -) | tar -C "$work/root/home/user/tree" -xf - ||
  skip "this tree is not a git repository"
chown -R 1000:1000 "$work/root/home/user"

# setup CODE OPTION...: runs tools/setup without network, and compares its exit code.
setup() {
  local code=0
  as_user "${variables:-} tree/tools/setup --mirror file:///home/user/mirror ${*:2}" >"$work/out" 2>&1 || code=$?
  [[ $code == "$1" ]] || { cat "$work/out" >&2; fail "tools/setup ${*:2} ended with $code instead of $1"; }
}

setup 2 --login --prefix
says "--prefix needs a value" "$work/out"
setup 1 --login --prefix /usr/dlscale
says "cannot create the folder /usr/dlscale" "$work/out"
setup 1 --login --prefix /usr
says "cannot write into /usr" "$work/out"
variables=CXX=no-such-compiler setup 1 --login --prefix libraries
says "a C++ compiler (CXX names no-such-compiler)" "$work/out"

# A damaged file in the cache is downloaded again. The mirror has a wrong file first, and then the right one.
fmt=$(awk '$1 == "fmt" {print $2}' "$source_tree/tools/prefix/sources.txt")
install -D "$cache/${fmt##*/}" "$work/root/home/user/mirror/$fmt"
echo damage >>"$cache/${fmt##*/}"
echo damage >>"$work/root/home/user/mirror/$fmt"
setup 1 --login --prefix libraries
says "${fmt##*/} is damaged; downloading it again" "$work/out"
says "does not have the pinned SHA-256" "$work/out"
truncate -s -7 "$work/root/home/user/mirror/$fmt"
setup 0 --login --prefix libraries
says "found: ninja zlib bzip2 xz zstd nlohmann_json simdjson openssl boost tomlplusplus sqlitecpp libjpeg libpng pcre2" \
  "$work/out"
says "to build into /home/user/libraries: fmt cli11 mustache libdeflate" "$work/out"
setup 0 --login --prefix libraries
says "everything is there" "$work/out"
! grep -q "building" "$work/out" || fail "a second call builds again"
setup 1 --prefix libraries
says "MPI: load a module, for example Open MPI" "$work/out"

as_user "cd tree && cmake --preset login -DCMAKE_PREFIX_PATH=\$HOME/libraries" >"$work/out" 2>&1 ||
  { cat "$work/out" >&2; fail "the build cannot be configured with CMAKE_PREFIX_PATH"; }
as_user "rm -rf tree/build; source libraries/environment.sh; cd tree && cmake --preset login -DDLSCALE_TESTS=OFF &&
  cmake --build build/login --target dlscale_base" >"$work/out" 2>&1 ||
  { cat "$work/out" >&2; fail "the build cannot be configured with environment.sh"; }
for entry in fmt_DIR:PATH=/home/user/libraries/lib/cmake/fmt \
  LIBDEFLATE_LIBRARY:FILEPATH=/home/user/libraries/lib/libdeflate.a; do
  says "$entry" "$work/root/home/user/tree/build/login/CMakeCache.txt"
done
