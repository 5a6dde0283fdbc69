#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the folder that tools/gpu-check packs. On a machine with a few commands and without a GPU, the checks write a
# page that reports the missing GPU for each part, and end with exit code 3. Usage: gpu_check.sh BUILD
set -euo pipefail
build=$1
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "gpu_check.sh: $1" >&2
  exit 1
}

"$tools/gpu-check" -b "$build" -o "$folder/packed"
[[ $(du -sm "$folder/packed" | cut -f1) -le 60 ]] || fail "the folder has more than 60 MiB"
# Every library of the programs is packed, or belongs to the C library, the compiler, PyTorch or CUDA.
missing=$(LD_LIBRARY_PATH=$folder/packed/lib ldd "$folder"/packed/bin/* | sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | sort -u |
  grep -Ev "^$folder|/(libc|libm|libdl|librt|libutil|libpthread|libstdc\+\+|libgcc_s)\.so|torch|nvidia" || true)
[[ -z $missing ]] || fail "these libraries are not packed: $missing"

root=$folder/root
mkdir -p "$root"/{bin,tmp,dev}
for command in bash awk cat cut date dirname grep head mkdir mv rm sed tr; do
  file=$(readlink -f "$(type -P "$command")")
  cp "$file" "$root/bin/$command"
  ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root/$(dirname "$library")"
    cp -nL "$library" "$root/$library"
  done
done
cp -r "$folder/packed" "$root/gpu-check"
if [[ $(id -u) -eq 0 ]]; then
  inside=(chroot "$root")
elif unshare -r true 2>/dev/null; then
  inside=(unshare -r chroot "$root")
else
  echo "skipped: a user here cannot change the root folder"
  exit 77
fi
ended=0
"${inside[@]}" /bin/bash -c 'PATH=/bin; cd /tmp && exec bash /gpu-check/run' 2>"$folder/errors" || ended=$?
cat "$folder/errors"
[[ $ended == 3 ]] || fail "run ended with $ended instead of 3"
page=$root/tmp/gpu-check-results/gpu-check.md
for part in $("${inside[@]}" /bin/bash /gpu-check/run --help | sed -n 's/^Parts: //p'); do
  [[ -f $root/tmp/gpu-check-results/parts/$part.json ]] || fail "no result for $part"
done
[[ $(grep -c '| no GPU | 0 | no GPU is visible: ' "$page") == 12 ]] || fail "$(cat "$page")"
python3 - "$root/tmp/gpu-check-results/gpu-check.json" <<'PYTHON'
import json
import sys
with open(sys.argv[1]) as file:
    parts = json.load(file)["parts"]
assert len(parts) == 12, parts
assert all(part["outcome"] == "no GPU" for part in parts), parts
PYTHON
ended=0
"${inside[@]}" /bin/bash -c 'PATH=/bin; cd /tmp && exec bash /gpu-check/run spede' 2>"$folder/errors" || ended=$?
[[ $ended == 2 ]] || fail "an unknown part ended with $ended instead of 2"
grep -q 'unknown part spede (known: versions ' "$folder/errors" || fail "$(cat "$folder/errors")"

# The part "resume" starts mpirun so that it forwards SIGUSR1, also if a job system starts the checks with SIGUSR1
# blocked. A stand-in for the trainer records a step window and exits with 99 after SIGUSR1.
mkdir "$folder/bin"
printf '#!/bin/sh\necho "GPU 0: stand-in (UUID: 0)"\n' >"$folder/bin/nvidia-smi"
cat >"$folder/packed/bin/dlscale-train-cuda" <<'SH'
#!/usr/bin/env bash
if mkdir "$2/launch-1" 2>/dev/null; then
  trap '[[ -n ${DLSCALE_LOSES_SIGNALS:-} ]] || exit 99' USR1
  [[ -z ${DLSCALE_ENDS_EARLY:-} ]] || exit 0
  echo '{"record":"step_window"}' >"$2/launch-1/results.jsonl"
  for _ in $(seq 50); do sleep 0.1; done
else
  mkdir "$2/launch-2"
  echo '{"record":"run_start","resumed_step":10}' >"$2/launch-2/results.jsonl"
fi
SH
chmod 755 "$folder/bin/nvidia-smi" "$folder/packed/bin/dlscale-train-cuda"
touch "$folder/libtorch_cuda.so"
resume() {  # resume ASSIGNMENT…: runs the part, and prints its row on the page
  PATH=$folder/bin:$PATH TORCH_LIB=$folder env --block-signal=USR1 "$@" "$folder/packed/run" -o "$folder/out" resume >&2
  ended=$?
  grep '^| Checkpoint and resume' "$folder/out/gpu-check.md"
  return $ended
}
row=$(resume) || fail "the part resume failed: $row $(cat "$folder/out/logs/resume.log")"
row=$(resume DLSCALE_LOSES_SIGNALS=1) && fail "a lost signal is not reported: $row"
[[ $row == *"instead of 99 after 1 of 150 step windows; mpirun forwarded SIGUSR1"* ]] || fail "the reason is missing: $row"
row=$(resume DLSCALE_ENDS_EARLY=1) && fail "a launch that ends before the signal is not reported: $row"
[[ $row == *"after 0 of 150 step windows; it ended before SIGUSR1 was sent"* ]] || fail "the reason is missing: $row"
