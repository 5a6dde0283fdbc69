#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a part of the small version of a published study, from its plan to its report and findings.
# usage: published_study.sh DLSCALE nef|ensias|princeton|barrachina|juwels
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"

name=$2
tool=$here/../../tools/study
# only CONDITION: excludes all points for which the condition is false.
only() { cut=(-S "exclude=[{when = '''!($1)''', why = 'not part of the test'}]"); }
case $name in
  nef) cut=(-S 'matrix.global_batch=[16]') runs=2 ;;
  ensias) only 'substudy in ["nbow", "mlp"]'; runs=4 ;;
  princeton) only 'substudy in ["gpus", "classifier"]'; runs=4 ;;
  barrachina) cut=(-S 'substudy.measured.matrix.model=["vgg11"]' --sizes 45) runs=4 ;;
  juwels) only 'substudy == "shares" && model == "resnet50" && loader == "native"'; runs=2 ;;
esac

expect 2 "$tool" "${name}s" --small
says "unknown study ${name}s"
if [[ $name != princeton && $name != barrachina ]]; then
  if [[ ! -d ${DLSCALE_TEST_DATA:-/nowhere}/clothing10 ]]; then
    echo "skipped: DLSCALE_TEST_DATA does not name a folder with clothing10/"
    exit 77
  fi
  expect 2 env DLSCALE_TEST_DATA= "$tool" "$name" --small --programs "$(dirname "$dlscale")" -o without
  says "needs data"
fi

expect 0 "$tool" "$name" --small --programs "$(dirname "$dlscale")" -o out -S study.repeats=1 "${cut[@]}"
[[ $("$dlscale" list out/study --csv | grep -c ',done,') == "$runs" ]] ||
  fail "not $runs runs are done: $("$dlscale" list out/study)"
[[ -s out/study/report/report.html ]] || fail "no report: $(ls out/study)"
[[ -s out/compare.txt ]] || fail "nothing was compared with the publication"
expect 0 "$here/../../tools/study_page" "$name" out --docs docs --dlscale "$dlscale"
[[ $(wc -l <"docs/studies/$name.md") -le 250 ]] || fail "the page is too long"
# The cut of juwels has none of the sub-studies that the figures show.
[[ $name == juwels ]] || grep -q "^!\[Figure.*](figures/$name-figure-.*svg)" "docs/studies/$name.md" || fail "no figure: $(cat "docs/studies/$name.md")"
findings=$(grep -c '^\[\[finding\]\]' "$here/../../examples/studies/$name/findings.toml")
verdicts=$("$dlscale" compare out/study --findings "$here/../../examples/studies/$name/findings.toml" --format csv |
  grep -cE ',(holds|does not hold|not testable here),')
[[ $verdicts == "$findings" ]] || fail "$verdicts verdicts for $findings findings: $(cat out/findings.txt)"
if [[ $name == barrachina || $name == princeton || $name == juwels ]]; then
  compared=$(sed -n 's/.* own counterpart (\([0-9]*\) %).*/\1/p' out/compare.txt)
  ((${compared:-0} >= 60)) || fail "only ${compared:-0} % of the published values were compared: $(head -n 40 out/compare.txt)"
fi
if [[ $name == barrachina ]]; then
  [[ -s out/figures/layer-times-vgg11-3x32x32-b128.svg && -s out/figures/kernel-error-boxes.svg ]] ||
    fail "no figures of layers and kernels: $(ls out/figures)"
fi
if [[ $name == princeton ]]; then
  grep -qF 'alexnet-parameters: holds' out/findings.txt || fail "not 54,575,114 parameters: $(cat out/findings.txt)"
fi
