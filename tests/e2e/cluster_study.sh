#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plans, submits, follows, retries and collects a study with the bundled trainer on a real batch
# system with two nodes, as single jobs, as arrays and as packed jobs. Except for times, the tables
# must equal the tables of the same study that runs on this machine without a batch system. One
# report then evaluates the runs of both sites.
# usage: cluster_study.sh DLSCALE slurm|oar
# shellcheck source-path=SCRIPTDIR source=support.bash
source "$(dirname "$0")/support.bash"
# shellcheck source=cluster/readable_programs.bash
source "$here/cluster/readable_programs.bash"

kind=$2
root=$(cd "$here/../.." && pwd)
parts=$here/cluster
forms=(arrays packed)

# check_tables FORM: checks that rows, accuracies and numbers of runs equal those on this machine.
check_tables() {
  local table
  for table in accuracy efficiency; do
    python3 "$here/same_but_times.py" "$PWD/local/tables/$table.csv" "$PWD/$1/tables/$table.csv" ||
      fail "the tables of $1 are others than on this machine"
  done
}

if [[ ${3:-} == inside ]]; then
  cd "$4"
  for form in "${forms[@]}"; do
    expect 0 "$dlscale" submit "$form" --poll 2
    expect 1 "$dlscale" wait "$form" --poll 2 # one run fails the first time
    expect 0 "$dlscale" status "$form" --json
    expect 0 "$dlscale" retry "$form" --wait --poll 2
    [[ $("$dlscale" list "$form" --csv | grep -c ',done,') == 12 ]] || fail "not all of $form are done"
  done
  exit 0
fi

# OAR runs jobs as a user other than root, so copy the programs to a folder that every user can read.
readable=$PWD/opt
place_programs "$dlscale" "$readable"
cat >"$readable/bin/dlscale-train" <<SH
#!/bin/bash
case \$2 in
  *-g1-*-r2) [ -e "\$2/tried" ] || { : >"\$2/tried"; echo "the first attempt fails" >&2; exit 1; } ;;
esac
exec "$readable/bin/dlscale-train.real" "\$@"
SH
chmod 755 "$readable/bin/dlscale-train"

expect 0 "$dlscale" run "$parts/study.toml" -o local --no-figures
site_of "$kind" "$readable" "$readable/bin/dlscale-train" >site.toml
expect 0 "$dlscale" plan "$parts/study.toml" --site site.toml -o arrays -S launch.array=true
says "12 runs in 3 jobs (3 arrays)"
expect 0 "$dlscale" plan "$parts/study.toml" --site site.toml -o packed -S launch.pack=true
says "(8 single, "
chmod -R a+rwX .

# shellcheck source=../support/readable.bash
source "$root/tests/support/readable.bash"
copy_for_all_users checkout
code=0
"$root/tests/support/${kind}_cluster.sh" --running --site site.toml \
  "$PWD/checkout/tests/e2e/cluster_study.sh" "$readable/bin/dlscale" "$kind" inside "$PWD" || code=$?
[[ $code == 0 ]] || exit "$code"
for form in "${forms[@]}"; do
  expect 0 "$dlscale" collect "$form"
  check_tables "$form"
  grep -qE '"nodes":\["[^"]+","' "$form/launch.jsonl" || fail "no job of $form had two nodes"
done

expect 0 "$dlscale" report local arrays -o paper
for source in local arrays; do
  grep -q "^$source," paper/tables/efficiency.csv || fail "the report has no efficiency of $source"
done
expect 0 "$dlscale" verify local arrays --report paper
