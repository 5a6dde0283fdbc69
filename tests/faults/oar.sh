#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Injects a fault while dlscale submits jobs to a real OAR and follows the jobs. No run may be lost or
# run twice. usage: oar.sh DLSCALE FAULT
# FAULT is the name of a function below or in any_batch_system.bash.
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

# batch_system_saw_each_once NAME: checks that OAR's records have each job exactly once. OAR records
# each array task as a separate job. If OAR cannot reach a node, OAR submits the job again. The new
# job names the original job and is not counted.
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
let_time_run_out() { :; } # the job has a short time limit
server_knows_its_jobs() { :; } # the jobs are in the database

# OAR's server is down when a job is submitted. oarsub fails, but the job is in the queue.
# The next dlscale finds the job.
down_once() {
  make_plan p 1
  fault controller stop
  expect 4 submit p --once
  fault controller start
  expect 0 submit p --wait
  each_run_once p
}

# The database is down when jobs are submitted. All OAR commands fail.
down_at_submit() {
  make_plan p 2
  fault database stop
  submit p --wait &
  wait_for 90 grep -q 'retrying in' "$work/submit.log"
  fault database start
  wait $! || fail "submit failed"
  each_run_once p
}

# The database is down while dlscale follows jobs.
down_at_poll() {
  make_plan p 2
  hold_runs
  submit p --wait &
  wait_for 60 has_events p started 2
  fault database stop
  wait_for 90 grep -q 'retrying in' "$work/submit.log"
  fault database start
  let_runs_end
  wait $! || fail "submit failed"
  each_run_once p
}

# A job in state Hold waits until a user resumes the job. Meanwhile no run is lost or submitted again.
held() {
  make_plan p 1
  local id other
  other=$(oarsub -l nodes=2,walltime=0:05 'sleep 200' | grep -o 'OAR_JOB_ID=[0-9]*' | tr -dc 0-9)
  expect 0 submit p --once # the job waits for the nodes
  id=$(last_job p)
  oarhold "$id" >"$work/hold.log" || fail "it could not be held"
  oardel "$other" >>"$work/hold.log"
  follow p &
  wait_for 60 is_over "$other"
  sleep 3 # enough time for a job to start
  kill -0 $! || fail "a held job is not over"
  "$dlscale" status "$work/p" >"$work/status.log"
  oarresume "$id" >>"$work/hold.log"
  wait $! || fail "the run failed"
  each_run_once p
}
is_over() { oarstat -s -j "$1" | grep -qE 'Error|Terminated'; }

# OAR notices a dead node when it starts a job there, and submits a replacement job itself.
dead_at_launch() {
  make_plan p 1
  fault node crash node-1
  expect 0 submit p --wait
  was_requeued p 1
}

# A run reports that it can be resumed. After a minute OAR starts the job again under another id.
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

# The node of a running job crashes. OAR detects the crash when it cannot end the job at the time limit.
# The run has state node_fail, and `retry` avoids the node even after the node is back.
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

# Folder names contain characters that shells interpret, as far as OAR accepts such names.
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
