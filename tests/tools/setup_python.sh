#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests tools/setup --python without downloads: a stand-in for `python3 -m pip` makes small packages. The files of the
# environment name the folder in which the environment is kept.
set -euo pipefail
setup=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)/setup
python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "SKIPPED: no Python 3.11"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "setup_python.sh: $1" >&2
  exit 1
}

mkdir "$folder/bin"
cat >"$folder/bin/python3" <<SH
#!/usr/bin/env bash
[[ " \$* " == *" pip install "* ]] || exec "$(type -P python3)" "\$@"
echo "\$*" >>"$folder/downloads"
while [[ \$1 != --target ]]; do shift; done
mkdir -p "\$2"/{bin,nvidia/lib,pytest,torch/bin,torch/lib}
for file in bin/pytest nvidia/lib/libcudart.so pytest/__init__.py torch/__init__.py torch/bin/protoc torch/lib/libtorch.so; do
  echo "# stand-in" >"\$2/\$file"
done
SH
chmod 755 "$folder/bin/python3"
export PATH=$folder/bin:$PATH XDG_CACHE_HOME=$folder/cache
environment=$("$setup" --print-python)
check_paths() {
  "$setup" --no-packages --python >"$folder/log" || fail "$(cat "$folder/log")"
  if found=$(grep -r "/part\." "$environment"); then fail "these lines name a folder that is gone: $found"; fi
  # shellcheck disable=SC1091 # the file exists only during the test
  (. "$environment/bin/activate" && [[ $VIRTUAL_ENV == "$environment" && $(type -P python) == "$environment/bin/python" ]]) ||
    fail "activate does not enter $environment"
  "$environment/bin/python" -c 'import pytest, torch' || fail "the packages cannot be imported"
}
check_paths
downloads=$(wc -l <"$folder/downloads")

# An environment of an earlier version of tools/setup names another folder. It is corrected without a download.
sed -i "s|$environment|$folder/cache/dlscale/part.1|" "$environment/bin/activate"
rm "$environment/.listing"
(cd "$environment" && find . -type f ! -name '.sha256*' -printf '%s %P\n' | LC_ALL=C sort) >"$folder/listing"
mv "$folder/listing" "$environment/.listing"
check_paths
check_paths
[[ $(wc -l <"$folder/downloads") == "$downloads" ]] || fail "packages were downloaded again: $(cat "$folder/downloads")"
