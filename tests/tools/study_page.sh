#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the page that tools/study_page writes about an output folder with the results of four real runs, and the folders
# that it rejects. Arguments: dlscale, source tree.
set -euo pipefail
dlscale=$1
source_tree=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "study_page.sh: $1" >&2
  exit 1
}
# page [NAME [OUT]]: writes the page with output to output.log.
page() {
  "$source_tree/tools/study_page" "${1:-nef}" "${2:-out}" --docs docs --dlscale "$dlscale" >output.log 2>&1
}
# rejects TEXT [NAME [OUT]]: checks that no page is written, with exit code 2 and TEXT.
rejects() {
  local code=0
  page "${@:2}" || code=$?
  [[ $code == 2 ]] || fail "exit code $code instead of 2 for: $1"
  grep -qF -- "$1" output.log || fail "\"$1\" is not in: $(cat output.log)"
  [[ ! -e docs ]] || fail "files were written in spite of: $1"
}
# says TEXT: checks that the page contains the text, which may be broken into lines.
says() { tr -s ' \n' ' ' <docs/studies/nef.md | grep -qF -- "$1" || fail "\"$1\" is not in: $(cat docs/studies/nef.md)"; }

rejects "unknown study before" before
rejects "nowhere: is not a folder" nef nowhere
mkdir out
rejects "calls.txt: No such file" nef

cp -r "$source_tree/tests/data/plan_of_0.1" out/study
sed -i 's/"study": "before"/"study": "nef-small"/' out/study/plan.json
cat >findings.toml <<'END'
[[finding]]
name = "parameters"
claim = "The network has 669,706 parameters."
source = "Table 1"
metric = "parameters"
left = "gpus == 1 || gpus == 2"
value = 669706
relation = "similar"
within = 0
[[finding]]
name = "few-parameters"
claim = "The network has fewer than 1,000 parameters."
source = "Table 2"
metric = "parameters"
left = "gpus == 1"
value = 1000
relation = "less"
[[finding]]
name = "faster"
claim = "Two ranks are faster."
source = "Figure 3"
metric = "throughput"
left = "gpus == 2"
right = "gpus == 1"
repetitions = 4
END
cat >reference.csv <<'END'
# source: a test
# kind: R
framework,gpus,throughput [image/s]
ddp,1,10
ddp,2,20
ddp,4,30
ddp,8,40
END
"$dlscale" collect out/study --no-tables >/dev/null
mkdir -p out/study/report/figures
"$dlscale" plot throughput out/study -o out/study/report/figures/throughput.svg >/dev/null
"$dlscale" compare out/study --reference reference.csv --unmatched >out/compare.txt
"$dlscale" compare out/study --findings findings.toml >out/findings.txt

# calls LINE...: writes calls.txt.
calls() { printf '%s\n' "$@" >out/calls.txt; }
call='# tools/study nef --small -o out'
step=$'2026-11-28T17:03:00Z\t812.5\t/somewhere/tools/study nef --small -o /somewhere/out --data /somewhere/data'
started='# started: 2026-11-28T17:03:00Z, cores: 3, program: dlscale 0.2.0, commit abc'
calls "$call"
rejects "must have a call of tools/study and its commands"
calls '# tools/study princeton --small' "$step"
rejects "calls.txt:1: must be from tools/study nef --small (got tools/study princeton --small)"
calls '# tools/study nef -o out' "$step"
rejects "calls.txt:1: must be from tools/study nef --small (got tools/study nef -o out)"
calls "$call" "yesterday	812.5	dlscale run"
rejects "calls.txt:2: must be START, SECONDS and COMMAND, separated by tabs"
calls "$call" "$started" "$step" '# ended: 2026-11-28T17:30:00Z, exit code: 1'
rejects "the last call did not complete"
calls "$call" "$started" "$step" '# ended: 2026-11-28T17:30:00Z, exit code: 0' "$call" "$started"
rejects "the last call did not complete"
calls "$call" "$step"
sed 's/"study": "nef-small"/"study": "juwels-small"/' -i out/study/plan.json
rejects "must be the study nef-small (got juwels-small)"
sed 's/"study": "juwels-small"/"study": "nef-small"/' -i out/study/plan.json
for file in compare.txt findings.txt; do
  mv out/$file kept
  rejects "$file: No such file"
  echo nothing >out/$file
  rejects "$file: "
  mv kept out/$file
done

page || fail "$(cat output.log)"
says '<!-- Written by `tools/study_page nef OUT`.'
says '# NEF: DenseNet121 on 1 to 3 GPUs: results'
says 'Findings of the publication: 1 holds, 1 does not hold, 1 cannot be tested here.'
says '| data | 256 training samples of `synthetic_digits` |'
says 'Published values: 2 of 4 (50 %) have an own counterpart.'
says '| command | `tools/study nef --small -o out --data data` |'
says '| time of the whole command | 13 min 32 s |'
says '| start | 2026-11-28 17:03 UTC |'
says 'Intel(R) Xeon(R) Processor |'
says '| runs | 4 runs: 4 points with 1 repetition each |'
says 'nef-small: weak scaling'
says '- **How many ranks?**'
says '| **holds** | The network has 669,706 parameters. | Table 1 | `parameters (gpus == 1 \|\| gpus == 2) = 669706 within 0 %` |'
says '| **does not hold** | The network has fewer than 1,000 parameters. | Table 2 |'
says '| not testable here | Two ranks are faster. | Figure 3 |'
says '![Figure 3b](figures/nef-figure-3b.svg)'
says '**Figure 7**, best number of ranks for each batch: not drawn, because there is no file best-count.svg.'
says '| no run with gpus 4, 8 at the published framework | 2 |'
says '<summary>All 2 counterparts</summary>'
says 'All own points have framework ddp, model mlp, batch_per_gpu 32.'
says '| throughput | cores 2 | CPU run | 20 image/s |'
says '| throughput | CPU run | 2 |'
says '[small version](../../examples/studies/nef/README.md)'
for file in $(grep -o '(figures/[^)]*' docs/studies/nef.md | cut -c2-); do
  [[ -s docs/studies/$file ]] || fail "the page names $file, which does not exist"
done
if grep -nE '/somewhere|/tmp/|/home/' docs/studies/nef.md; then fail "the page names folders of this machine"; fi
if grep -vE '^\|' docs/studies/nef.md | LC_ALL=C.UTF-8 grep -E '^.{121}'; then fail "a line is too long"; fi
[[ $(wc -l <docs/studies/nef.md) -le 250 ]] || fail "the page has more than 250 lines"

# A page of several calls has their time together. Figures of an earlier page are removed.
touch docs/studies/figures/nef-figure-99.svg docs/studies/figures/juwels-figure-3.svg
calls "$call" "$started" "$step" '# ended: 2026-11-28T17:30:00Z, exit code: 1' "$call -S study.repeats=2" "$started" \
  "$step -S study.repeats=2" '# ended: 2026-11-28T18:30:00Z, exit code: 0'
sed -i 's/counterpart (50 %)/&; only predicted: 1/' out/compare.txt
page || fail "$(cat output.log)"
says '<br>`tools/study nef --small -o out --data data -S study.repeats=2` |'
says '| time of the whole command | 27 min 5 s |'
says 'Published values: 2 of 4 (50 %) have an own counterpart, 1 of them only by a prediction.'
says '| machine | 3 cores of Intel(R) Xeon(R) Processor |'
says '| program | dlscale 0.2.0, commit abc |'
[[ ! -e docs/studies/figures/nef-figure-99.svg ]] || fail "a figure of the earlier page was not removed"
[[ -e docs/studies/figures/juwels-figure-3.svg ]] || fail "a figure of another page was removed"

rm -r docs
rm -r out/study/runs/ddp-*-g2-*/launch-1
"$dlscale" collect out/study --no-tables >/dev/null || true
rejects "3 of 4 runs are completed"
