#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The paper of a report, and a figure alone, by LaTeX, with hostile names in them; twice the same bytes.
# Arguments: dlscale, sample_study.
set -euo pipefail
if ! command -v pdflatex >/dev/null; then
  echo "SKIPPED: pdflatex is not installed (tools/setup --lint brings it)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" "$folder/study" 6 3 4
"$1" collect "$folder/study" --no-tables >/dev/null
make_kit() { "$1" report "$folder/study" -o "$folder/kit" --where 'framework == "ddp"' >/dev/null; }
make_kit "$1"
cp -r "$folder/kit" "$folder/before"
make_kit "$1"
diff -r "$folder/before" "$folder/kit"

# compile FOLDER DOCUMENT: without a stop for input; nothing may be missing.
compile() {
  (cd "$1" && pdflatex -interaction=nonstopmode -halt-on-error "$2.tex" >"$2.out") || {
    grep -A 5 '^!' "$1/$2.out" >&2 || tail -n 20 "$1/$2.out" >&2
    exit 1
  }
  if grep -E 'undefined|Missing character|^! ' "$1/$2.log" >&2; then exit 1; fi
}
compile "$folder/kit" paper
compile "$folder/kit/figures" efficiency
compile "$folder/kit/figures" breakdown
