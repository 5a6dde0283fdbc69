# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions that the fault tests share. The functions make plan folders with short runs and check the
# runs afterwards. Sourced with the path of the built dlscale as $1, the name of the fault as $2 and, in
# the cluster, the folder of this test as $3.
# shellcheck disable=SC2034 # the scripts that source this use the variables
set -euo pipefail

dlscale=$(realpath "$1")
fault=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=../support/readable.bash
source "$root/tests/support/readable.bash"

if [[ -n ${3:-} ]]; then
  work=$3
else
  work=$(mktemp -d)
  chmod 777 "$work" # OAR's user writes here
  trap 'rm -rf "$work"' EXIT
fi

fail() {
  echo "FAILED: $*" >&2
  local file
  for file in "$work"/*.log "$work"/*/launch.jsonl "$work"/*/logs/*.err; do
    [[ ! -s $file ]] || { echo "--- $file" >&2; tail -n 30 "$file" >&2; }
  done
  exit 1
}

# make_trainer: makes a short program that writes the files of dlscale-train, and an mpirun that runs
# one rank. Files in $work change the program:
# - `wait`: the program runs until the file is removed.
# - `hungry`: the program allocates more memory than its job has.
# - `again`: the first launch reports that the run can be resumed.
make_trainer() {
  mkdir -p "$work/bin"
  cat >"$work/bin/dlscale-train" <<SH
#!/bin/bash
work=$work
k=1
until mkdir "\$2/launch-\$k" 2>/dev/null; do
  [ -e "\$2/launch-\$k" ] || exit 1
  k=\$((k + 1))
done
launch=\$2/launch-\$k
SH
  cat >>"$work/bin/dlscale-train" <<'SH'
record() { echo "{\"record\":$1}" >>"$launch/results.jsonl"; }
record '"run_start","schema_version":1,"run_id":"'"${2##*/}"'","launch":'"$k"',"time":1,"world_size":1'
trap 'exit 143' TERM
trap '' USR1
hostname >"$launch/node"
[ ! -e "$work/hungry" ] || python3 -c 'x = bytearray(1500000000)' || exit 1
sleep 0.2
while [ -e "$work/wait" ]; do sleep 0.3; done
if [ -e "$work/again" ] && [ "$k" = 1 ]; then
  record '"run_stop","outcome":"Preempted","time":2'
  exit 99
fi
record '"run_stop","outcome":"Completed","time":2'
SH
  cat >"$work/bin/mpirun" <<'SH'
#!/bin/bash
until [[ $1 == *dlscale-train ]]; do shift; done
exec "$@"
SH
  chmod +x "$work/bin/dlscale-train" "$work/bin/mpirun"
}

# in_cluster FIXTURE OPTION...: runs this test again within the batch system and exits with its exit code.
in_cluster() {
  local code=0 cluster=("$root/tests/support/$1" --running "${@:2}" --site "$here/$cluster_kind.toml")
  make_trainer
  # OAR's user may lack access to the folders of the build and the checkout.
  cp "$dlscale" "$work/dlscale"
  copy_for_all_users "$work/checkout"
  if [[ $fault == disk_full* ]]; then # nodes see what was mounted before they started
    mkdir "$work/p"
    unshare --mount true 2>/dev/null || { echo "skipped: only root may mount"; exit 77; }
    # shellcheck disable=SC2016
    cluster=(unshare --mount bash -c 'mount -t tmpfs -o size=2m,mode=777 tmpfs "$0" && exec "$@"'
      "$work/p" "${cluster[@]}")
  fi
  "${cluster[@]}" env DLSCALE_SHARE="${DLSCALE_SHARE:-$work/checkout}" \
    "$work/checkout/tests/faults/$(basename "$0")" "$work/dlscale" "$fault" "$work" || code=$?
  exit "$code"
}

# make_plan NAME JOBS ARGUMENT...: plans $work/NAME with JOBS runs for the site file of these tests.
# The lines of $site_says are added to the site file.
site_says=
make_plan() {
  local site=$work/site.toml
  sed "s|^walltime|environment = [\"PATH=$work/bin:\$PATH\"]\n$site_says\n&|" \
    "$here/${cluster_kind:?}.toml" >"$site"
  "$dlscale" plan "$root/tests/schedulers/small.toml" --site "$site" -o "$work/$1" \
    -S study.repeats=1 -S "matrix.batch_per_gpu=[$(seq -s, 1 "$2")]" "${@:3}" \
    >"$work/plan.log" 2>&1 || fail "the study cannot be planned"
}

hold_runs() { touch "$work/wait"; }
let_runs_end() { rm -f "$work/wait"; }

# A query to OAR takes a fifth of a second of processor time, so poll OAR less often.
poll_s() { if [[ ${cluster_kind:?} == oar ]]; then echo 2; else echo 0.5; fi; }

# submit NAME ARGUMENT...: runs `dlscale submit` with output to submit.log.
submit() { "$dlscale" submit "$work/$1" --poll "$(poll_s)" "${@:2}" >>"$work/submit.log" 2>&1; }

# kill_submitters NAME TIMES STEP: kills dlscale TIMES times. Each kill happens 0 to 9 times STEP ms
# after dlscale logs that it is about to submit another job.
kill_submitters() {
  local seen time
  for ((time = 0; time < $2; ++time)); do
    seen=$(events "$1" submitting)
    submit "$1" --max-jobs 100 &
    until has_events "$1" submitting $((seen + 1)) || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
    sleep "$(printf '0.%03d' $((RANDOM % 10 * $3)))"
    kill -KILL $! 2>/dev/null || true
    wait $! || true
  done
}

expect() {
  local code=0
  "${@:2}" || code=$?
  [[ $code == "$1" ]] || fail "exit code $code instead of $1: ${*:2}"
}

# wait_for SECONDS COMMAND...: waits until the command succeeds.
wait_for() {
  local limit=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < limit)) || fail "waited too long for: ${*:2}"
    sleep 0.2
  done
}

# events NAME EVENT: prints the number of records of EVENT in the launch log.
events() { grep -c "\"event\":\"$2\"" "$work/$1/launch.jsonl" 2>/dev/null || true; }
has_events() { [[ $(events "$1" "$2") -ge $3 ]]; }

# starts NAME: prints the number of script starts that the job scripts recorded.
starts() { cat "$work/$1"/logs/*.end 2>/dev/null | grep -c '"event":"started"' || true; }
has_started() { [[ $(starts "$1") -ge $2 ]]; }

# node_of NAME LAUNCH: prints the host on which launch LAUNCH of the folder's only run ran.
node_of() { cat "$work/$1"/runs/*/"launch-$2/node" 2>/dev/null; }

has_trained() { [[ -n $(node_of p 1) ]]; }

# last_job NAME: prints the batch system's id of the most recently submitted job.
last_job() { grep -o '"job_id":"[0-9]*"' "$work/$1/launch.jsonl" | tail -n 1 | tr -dc 0-9; }

# follow NAME: waits until all jobs have ended. Returns 1 if a run did not complete.
follow() { "$dlscale" wait "$work/$1" --poll "$(poll_s)" >>"$work/wait.log" 2>&1; }

# retry NAME ARGUMENT...: submits failed runs again and waits until the jobs have ended.
retry() { "$dlscale" retry "$work/$1" --wait --poll "$(poll_s)" "${@:2}" >>"$work/retry.log" 2>&1; }

# each_run_once NAME: checks that every run is done and was started exactly once, according to the
# entries of the job scripts and the folders that the trainer made.
each_run_once() {
  local folder=$work/$1 run
  "$dlscale" list "$folder" --csv >"$work/list.log"
  while IFS=, read -r run state _; do
    [[ $state == "done" ]] || fail "$run is $state"
    [[ $(grep -c '"event":"started"' "$folder/logs/$run.end") == 1 ]] || fail "$run began twice"
    [[ -d $folder/runs/$run/launch-1 && ! -e $folder/runs/$run/launch-2 ]] ||
      fail "$run was launched twice"
  done < <(tail -n +2 "$work/list.log")
  batch_system_saw_each_once "$1"
}

# all_are NAME STATE: checks that every run of the folder has the state.
all_are() {
  local states
  states=$("$dlscale" list "$work/$1" --csv | tail -n +2 | cut -d, -f2 | sort -u | paste -sd ' ')
  [[ $states == "$2" ]] || fail "the runs are $states, not $2"
}

# goes_elsewhere_on_retry NAME: checks that the second launch avoids the node of the first launch.
goes_elsewhere_on_retry() {
  local bad
  bad=$(node_of "$1" 1)
  expect 0 retry "$1"
  all_are "$1" "done"
  [[ $(node_of "$1" 2) != "$bad" ]] || fail "it was given the bad node again"
}

# refuses_to_plan NAME: checks that `dlscale plan` rejects a folder name that the batch system rejects.
refuses_to_plan() {
  expect 2 "$dlscale" plan "$root/tests/schedulers/small.toml" --site "$work/site.toml" \
    -o "$work/$1" >"$work/refused.log" 2>&1
  [[ ! -e $work/$1 ]] || fail "what cannot be submitted was planned"
}

# was_requeued NAME STARTS: checks that the run is done, that its only submission was requeued, and
# that its script was started STARTS times.
was_requeued() {
  has_events "$1" requeued 1 || fail "nobody noted that the job waited again"
  [[ $(events "$1" submitting) == 1 ]] || fail "it was submitted twice"
  [[ $(starts "$1") == "$2" ]] || fail "it began $(starts "$1") times instead of $2"
  all_are "$1" "done"
}
