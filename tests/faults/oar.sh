#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Things break while dlscale hands jobs to a real OAR and follows them: no run is lost, none runs
# twice. usage: oar.sh DLSCALE FAULT, with one of the functions below or in any_batch_system.bash
# as the fault
# shellcheck source-path=SCRIPTDIR source=faults.bash
source "$(dirname "$0")/faults.bash" "$@"
# shellcheck source=any_batch_system.bash
source "$(dirname "$0")/any_batch_system.bash"
cluster_kind=oar
kill_step_ms=100
short_walltime=(-S resources.walltime=00:00:15)

if [[ -z ${3:-} ]]; then
  options=()
  [[ $fault != dead_at_launch ]] || options=(--look 600)
  in_cluster oar_cluster.sh "${options[@]}"
fi

# Each job once by OAR's own records; tasks of arrays are jobs of their own there. Jobs that OAR itself
# has submitted again, since it could not reach a node, name the one that they stand for.
batch_system_saw_each_once() {
  oarstat -J -f --sql "job_user='$(id -un)'" >"$work/jobs.log" 2>&1 || oarstat -J -f -u >"$work/jobs.log"
  python3 - "$work/jobs.log" "$work/$1" <<'PY' || fail "OAR has other jobs than it should"
import json, pathlib, sys
folder = pathlib.Path(sys.argv[2])
jobs = json.loads(pathlib.Path(sys.argv[1]).read_text() or "{}")
asked = [job for job in jobs.values() if str(job.get("resubmit_job_id", 0)) == "0"]
commands = [job["command"] for job in asked if str(folder) + "/" in job["command"]]
runs = sum(len(job["run_ids"]) for job in json.loads((folder / "plan.json").read_text())["jobs"])
print(len(commands), "jobs for", runs, "runs")
sys.exit(0 if len(set(commands)) == len(commands) == runs else 1)
PY
}

has_no_jobs() { [[ -z $(oarstat -u | grep -v -e '^Job id' -e '^---') ]]; }
cancel_by_hand() { oardel "$1" >>"$work/del.log"; }
let_time_run_out() { :; } # it has little
server_knows_its_jobs() { :; } # they are in the database

# OAR's server is away when a job is submitted: oarsub fails, and the job is in the queue all the
# same. The next dlscale finds it.
down_once() {
  make_plan p 1
  fault controller stop
  expect 4 submit p --once
  fault controller start
  expect 0 submit p --wait
  each_run_once p
}

# The database is away when jobs are to be submitted: no command of OAR answers.
down_at_submit() {
  make_plan p 2
  fault database stop
  submit p --wait &
  wait_for 90 grep -q 'asking again' "$work/submit.log"
  fault database start
  wait $! || fail "submit failed"
  each_run_once p
}

# The database is away while jobs are followed.
down_at_poll() {
  make_plan p 2
  hold_runs
  submit p --wait &
  wait_for 60 has_events p started 2
  fault database stop
  wait_for 90 grep -q 'asking again' "$work/submit.log"
  fault database start
  let_runs_end
  wait $! || fail "submit failed"
  each_run_once p
}

# A job in Hold waits until somebody resumes it; nothing is lost or submitted again meanwhile.
held() {
  make_plan p 1
  local id other
  other=$(oarsub -l nodes=2,walltime=0:05 'sleep 200' | grep -o 'OAR_JOB_ID=[0-9]*' | tr -dc 0-9)
  expect 0 submit p --once # it waits for the nodes
  id=$(last_job p)
  oarhold "$id" >"$work/hold.log" || fail "it could not be held"
  oardel "$other" >>"$work/hold.log"
  follow p &
  wait_for 60 is_over "$other"
  sleep 3 # time enough for a job to start
  kill -0 $! || fail "a held job is not over"
  "$dlscale" status "$work/p" >"$work/status.log"
  oarresume "$id" >>"$work/hold.log"
  wait $! || fail "the run failed"
  each_run_once p
}
is_over() { oarstat -s -j "$1" | grep -qE 'Error|Terminated'; }

# OAR notices that a node is dead when it starts a job there, and goes on with another job of its own.
dead_at_launch() {
  make_plan p 1
  fault node crash node-1
  expect 0 submit p --wait
  was_requeued p 1
}

# A run that says it can go on: after a minute OAR starts the job again by itself, as another one.
goes_on_later() {
  touch "$work/again"
  site_says='requeue = true'
  make_plan p 1
  hold_runs
  submit p --wait &
  wait_for 60 has_started p 1
  sleep 62
  let_runs_end
  wait $! || fail "the run failed"
  was_requeued p 2
}

# The node of a running job is gone. OAR notes it when the job's time is up and it cannot be ended; the
# run ends by that, and retry avoids the node, back or not.
node_failure() {
  make_plan p 1 -S resources.walltime=00:00:20
  hold_runs
  expect 0 submit p
  wait_for 60 has_trained
  fault node crash "$(node_of p 1)"
  expect 1 follow p
  all_are p node_fail
  fault node boot "$(node_of p 1)"
  let_runs_end
  goes_elsewhere_on_retry p
}

# Folders are called what shells make something of, as far as OAR takes such names.
hostile_names() {
  local name="-x.sh"
  make_plan "$name" 2 -S study.name=_help.-7
  expect 0 submit "$name" --wait
  all_are "$name" "done"
  refuses_to_plan "it's \$(x)"
  refuses_to_plan "x y"
  refuses_to_plan "x,=@+:"
}

"$fault"
echo "$fault: as it should be"
