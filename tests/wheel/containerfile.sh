#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The steps of recipes/Containerfile install dlscale and its trainer in a Debian 12. Empty wheels stand in for the
# packages that pip would download, and the trainer then loads the PyTorch and Open MPI of this Debian.
# usage: containerfile.sh WHEELS BUILD
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

make_root bookworm
cp -L /etc/resolv.conf /etc/hosts "$work/root/etc/"
as_root "apt-get update -o Acquire::Retries=0" >"$work/out" 2>&1 && ! grep -q '^[WE]:.*fetch' "$work/out" ||
  skip "the mirror of this machine cannot be reached: $(tail -n 1 "$work/out")"

make_stand_ins "$work/root/stand-ins"
libraries=/home/user/train/lib/python3.11/site-packages

# The steps as lines of shell code: "environment; command". Each RUN line is executed in the environment of the ENV
# lines before it.
python3 - "$source_tree/recipes/Containerfile" >"$work/steps" <<'PY'
import re, shlex, sys
text = re.sub(r"^#.*\n", "", open(sys.argv[1]).read(), flags=re.MULTILINE).replace("\\\n", " ")
environment, stages = "", []
for line in filter(str.strip, text.splitlines()):
    word, rest = line.split(maxsplit=1)
    if word == "FROM":
        base = rest.split()[0]
        assert base in stages or not stages and base.startswith("debian:12"), line
        stages.append(rest.split(" AS ")[1])
    elif word == "ENV":
        environment += f"export {rest}; "
    elif word == "COPY":
        source, target = rest.split()
        assert source == "dist", line
        print(f"cp -r /home/user/dist {shlex.quote(target)}")
    elif word == "RUN":
        print(environment + " ".join(rest.split()))
    else:
        sys.exit(f"the test does not know the instruction {word}")
PY
[[ $(grep -c . "$work/steps") -ge 6 ]] || fail "the recipe has too few steps"
while IFS= read -r step; do
  as_root "export PIP_FIND_LINKS=/stand-ins LD_LIBRARY_PATH=$libraries/torch/lib:/home/user/train/lib; $step" \
    </dev/null >>"$work/out" 2>&1 || { cat "$work/out" >&2; fail "this step ended with an error: $step"; }
done <"$work/steps"
says "dlscale $version" "$work/out"
says "dlscale-train $version" "$work/out"
