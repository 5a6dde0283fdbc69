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

# make_trainer: a program that runs for a moment, as long as $work/seconds says, and leaves what
# dlscale-train leaves, and an mpirun that runs one rank. Told to stop it does so. While $work/fails exists it fails.
make_trainer() {
  mkdir -p "$work/bin"
  echo 0.2 >"$work/seconds"
  chmod 666 "$work/seconds"
  cat >"$work/bin/dlscale-train" <<SH
#!/bin/bash
k=1
until mkdir "\$2/launch-\$k" 2>/dev/null; do k=\$((k + 1)); done
launch=\$2/launch-\$k
record() { echo "\$1" >>"\$launch/results.jsonl"; }
record '{"record":"run_start","schema_version":1,"run_id":"'"\${2##*/}"'","launch":'"\$k"',"time":1,"world_size":1}'
trap 'kill "\$!"; exit 143' TERM
sleep "\$(<"$work/seconds")" &
wait "\$!"
[ ! -e "$work/fails" ] || exit 1
record '{"record":"run_stop","outcome":"Completed","time":2}'
SH
  cat >"$work/bin/mpirun" <<'SH'
#!/bin/bash
until [[ $1 == *dlscale-train ]]; do shift; done
exec "$@"
SH
  chmod +x "$work/bin/dlscale-train" "$work/bin/mpirun"
}

# make_plan NAME JOBS ARGUMENT...: the folder $work/NAME with that many runs.
make_plan() {
  local site=$work/site.toml
  sed "s|^walltime|environment = [\"PATH=$work/bin:\$PATH\"]\n&|" "$here/${cluster_kind:?}.toml" >"$site"
  "$dlscale" plan "$root/tests/schedulers/small.toml" --site "$site" -o "$work/$1" \
    -S study.repeats=1 -S "matrix.batch_per_gpu=[$(seq -s, 1 "$2")]" "${@:3}" \
    >"$work/plan.log" 2>&1 || fail "the study cannot be planned"
}

# submit NAME ARGUMENT...: to its end unless told otherwise; what it says goes to submit.log.
submit() { "$dlscale" submit "$work/$1" --poll 0.3 "${@:2}" >>"$work/submit.log" 2>&1; }

# kill_submitters NAME TIMES STEP: each time dlscale notes that it is about to submit one more job,
# and dies 0 to 9 STEPs (ms) later.
kill_submitters() {
  local seen time
  for ((time = 0; time < $2; ++time)); do
    seen=$(events "$1" submitting)
    submit "$1" --max-jobs 100 &
    until has_events "$1" submitting $((seen + 1)) || ! kill -0 $! 2>/dev/null; do sleep 0.002; done
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
    sleep 0.05
  done
}

# events NAME EVENT: how many of them the launch log has.
events() { grep -c "\"event\":\"$2\"" "$work/$1/launch.jsonl" 2>/dev/null || true; }
has_events() { [[ $(events "$1" "$2") -ge $3 ]]; }

# starts NAME: how often scripts began to run, by what they noted themselves.
starts() { cat "$work/$1"/logs/*.end 2>/dev/null | grep -c '"event":"started"' || true; }

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

state_of_all() {
  "$dlscale" list "$work/$1" --csv | tail -n +2 | cut -d, -f2 | sort | uniq -c | awk '{print $1, $2}'
}
