#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests that tools/study lists its commands with their seconds in calls.txt, also if a command fails, and that a second
# call keeps the lines of the first call. A script takes the place of dlscale. Argument: source tree.
set -euo pipefail
source_tree=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "study_calls.sh: $1: $(cat out/calls.txt)" >&2
  exit 1
}
mkdir programs
cat >programs/dlscale <<'END'
#!/usr/bin/env bash
case $1 in
  --version) printf 'dlscale 1.2.3\ncommit abc\n' ;;
  run) sleep 0.2 ;;
  report) [[ ! -e fails ]] || exit 3 ;;
esac
END
chmod +x programs/dlscale
# study OPTION...: calls tools/study.
study() { "$source_tree/tools/study" princeton --small --programs programs -o out "$@" >output.log 2>&1; }
# has LINE PATTERN: checks a line of calls.txt, in which a tab separates the columns.
has() { sed -n "${1}p" out/calls.txt | grep -qP -- "^$2\$" || fail "line $1 is not $2"; }
time='\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'
words='\d+\.\d\t\S*/dlscale'

touch fails
code=0
study -S 'matrix.gpus=[1, 2]' || code=$?
[[ $code == 3 ]] || fail "exit code $code instead of 3"
has 1 "# tools/study princeton --small --programs programs -o out -S 'matrix\.gpus=\[1, 2\]'"
has 2 "# started: $time, cores: \d+, program: dlscale 1\.2\.3, commit abc"
has 3 "$time\t$words run \S*/princeton/small\.toml --site local -o \S*/out/study -S 'matrix\.gpus=\[1, 2\]'"
[[ $(sed -n 3p out/calls.txt | cut -f2) != 0.[01] ]] || fail "the seconds are too few"
has 4 "$time\t$words plan \S*/princeton/study\.toml --site ionic -o \S*/out/published"
has 5 "$time\t$words predict \S*/princeton/study\.toml --site ionic --keep \S*/out/published"
has 6 "$time\t$words collect \S*/out/published --allow-empty"
has 7 "$time\t$words report \S*/out/study"
has 8 "# ended: $time, exit code: 3"
cp out/calls.txt first
rm fails
study || fail "exit code $?"
head -n 8 out/calls.txt | cmp - first || fail "the lines of the first call changed"
has 9 '# tools/study princeton --small --programs programs -o out'
has 11 "$time\t$words run .*"
has 16 "$time\t$words compare \S*/out/study --reference princeton --predicted --unmatched --allow-empty \S*/out/published"
has 17 "$time\t$words compare \S*/out/study --findings \S*/princeton/findings\.toml"
has 18 "# ended: $time, exit code: 0"
[[ $(wc -l <out/calls.txt) == 18 ]] || fail "there are further lines"

# The measured all-reduces contain 512 KiB, the first size of the published figure.
ln -s dlscale programs/dlscale-bench
printf 'echo "$@" >>../../bench.txt\n' >>programs/dlscale
"$source_tree/examples/studies/barrachina/small-calibration.sh" "$PWD/programs" "$PWD/out" 45 >output.log 2>&1 ||
  fail "small-calibration.sh ended with code $?"
read -r kib factor < <(sed -n 's/^comm .* --min \([0-9]*\)KiB .* --factor \([0-9]*\) .*/\1 \2/p' bench.txt | head -n 1)
while ((kib < 512)); do ((kib *= factor)); done
((kib == 512)) || fail "all-reduces of 512 KiB are missing: $(grep ^comm bench.txt)"
