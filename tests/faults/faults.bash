# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What tests of faults share: plan folders whose runs take a moment, and what must be true of them
# afterwards. Sourced with the path of the built dlscale as $1, the name of the fault as $2 and, in
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
  chmod 777 "$work" # OAR's user works here
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

# make_trainer: a program that runs for a moment and leaves what dlscale-train leaves, and an mpirun
# that runs one rank. Files in $work make it do more: while there is `wait` it does not end, with
# `hungry` it wants more memory than its job has, with `again` its first launch says that it can go on.
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

# in_cluster FIXTURE OPTION...: this test again, within the batch system; ends as that does.
in_cluster() {
  local code=0 cluster=("$root/tests/support/$1" --running "${@:2}" --site "$here/$cluster_kind.toml")
  make_trainer
  # The user of OAR may not be able to enter the folders that lead to the build and the checkout.
  cp "$dlscale" "$work/dlscale"
  copy_for_all_users "$work/checkout"
  if [[ $fault == disk_full* ]]; then # nodes see what was mounted before them
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

# make_plan NAME JOBS ARGUMENT...: the folder $work/NAME with that many runs, for the site of these
# tests, which says $site_says as well.
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

# Asking OAR takes a fifth of a second of a processor.
poll_s() { if [[ ${cluster_kind:?} == oar ]]; then echo 2; else echo 0.5; fi; }

# submit NAME ARGUMENT...: to its end unless told otherwise; what it says goes to submit.log.
submit() { "$dlscale" submit "$work/$1" --poll "$(poll_s)" "${@:2}" >>"$work/submit.log" 2>&1; }

# kill_submitters NAME TIMES STEP: each time dlscale notes that it is about to submit one more job,
# and dies 0 to 9 STEPs (ms) later.
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

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
  local limit=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < limit)) || fail "waited too long for: ${*:2}"
    sleep 0.2
  done
}

# events NAME EVENT: how many of them the launch log has.
events() { grep -c "\"event\":\"$2\"" "$work/$1/launch.jsonl" 2>/dev/null || true; }
has_events() { [[ $(events "$1" "$2") -ge $3 ]]; }

# starts NAME: how often scripts began to run, by what they noted themselves.
starts() { cat "$work/$1"/logs/*.end 2>/dev/null | grep -c '"event":"started"' || true; }
has_started() { [[ $(starts "$1") -ge $2 ]]; }

# node_of NAME LAUNCH: the host on which the folder's only run trained that time.
node_of() { cat "$work/$1"/runs/*/"launch-$2/node" 2>/dev/null; }

has_trained() { [[ -n $(node_of p 1) ]]; }

# last_job NAME: the batch system's id of the job submitted last.
last_job() { grep -o '"job_id":"[0-9]*"' "$work/$1/launch.jsonl" | tail -n 1 | tr -dc 0-9; }

# follow NAME: until all jobs have ended; 1 if a run did not end well.
follow() { "$dlscale" wait "$work/$1" --poll "$(poll_s)" >>"$work/wait.log" 2>&1; }

# retry NAME ARGUMENT...: to the end.
retry() { "$dlscale" retry "$work/$1" --wait --poll "$(poll_s)" "${@:2}" >>"$work/retry.log" 2>&1; }

# each_run_once NAME: no run was started twice or not at all, by the scripts' notes and by the
# folders the trainer made; all are done.
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

# all_are NAME STATE: every run of the folder.
all_are() {
  local states
  states=$("$dlscale" list "$work/$1" --csv | tail -n +2 | cut -d, -f2 | sort -u | paste -sd ' ')
  [[ $states == "$2" ]] || fail "the runs are $states, not $2"
}

# goes_elsewhere_on_retry NAME: the node of the run's first launch is not given to it again.
goes_elsewhere_on_retry() {
  local bad
  bad=$(node_of "$1" 1)
  expect 0 retry "$1"
  all_are "$1" "done"
  [[ $(node_of "$1" 2) != "$bad" ]] || fail "it was given the bad node again"
}

# refuses_to_plan NAME: what the batch system would not take.
refuses_to_plan() {
  expect 2 "$dlscale" plan "$root/tests/schedulers/small.toml" --site "$work/site.toml" \
    -o "$work/$1" >"$work/refused.log" 2>&1
  [[ ! -e $work/$1 ]] || fail "what cannot be submitted was planned"
}

# was_requeued NAME STARTS: its run is done, under one submission that went back to the queue, after
# so many starts of its script.
was_requeued() {
  has_events "$1" requeued 1 || fail "nobody noted that the job waited again"
  [[ $(events "$1" submitting) == 1 ]] || fail "it was submitted twice"
  [[ $(starts "$1") == "$2" ]] || fail "it began $(starts "$1") times instead of $2"
  all_are "$1" "done"
}
