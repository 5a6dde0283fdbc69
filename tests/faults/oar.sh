#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Things break while dlscale hands jobs to a real OAR and follows them: no run is lost, none runs
# twice. usage: oar.sh DLSCALE FAULT, with one of the functions below as the fault
# shellcheck source-path=SCRIPTDIR source=faults.bash
source "$(dirname "$0")/faults.bash" "$@"
cluster_kind=oar

if [[ -z ${3:-} ]]; then
  make_trainer
  cp "$dlscale" "$work/dlscale" # OAR's user may not enter the folders that lead to the build
  code=0
  "$root/tests/support/oar_cluster.sh" --running --site "$here/oar.toml" \
    env DLSCALE_SHARE="${DLSCALE_SHARE:-$root}" "$0" "$work/dlscale" "$2" "$work" || code=$?
  exit "$code"
fi

# Each job once by OAR's own records; tasks of arrays are jobs of their own there.
batch_system_saw_each_once() {
  oarstat -J -f --sql "job_user='$(id -un)'" >"$work/jobs.log" 2>&1 || oarstat -J -f -u >"$work/jobs.log"
  python3 - "$work/jobs.log" "$work/$1" <<'PY' || fail "OAR has other jobs than it should"
import json, pathlib, sys
folder = pathlib.Path(sys.argv[2])
jobs = json.loads(pathlib.Path(sys.argv[1]).read_text() or "{}")
commands = [job["command"] for job in jobs.values() if str(folder) + "/" in job["command"]]
runs = sum(len(job["run_ids"]) for job in json.loads((folder / "plan.json").read_text())["jobs"])
print(len(commands), "jobs for", runs, "runs")
sys.exit(0 if len(set(commands)) == len(commands) == runs else 1)
PY
}

# dlscale dies at several instants; each time another one goes on.
killed() {
  make_plan p 8
  kill_submitters p 6 100
  wait_for 60 submit p --wait
  each_run_once p
}

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

# A job in Hold waits until somebody resumes it; nothing is lost or submitted again meanwhile.
held() {
  make_plan p 1
  echo 1 >"$work/seconds"
  local id other
  other=$(oarsub -l nodes=2,walltime=0:05 'sleep 200' | grep -o 'OAR_JOB_ID=[0-9]*' | tr -dc 0-9)
  expect 0 submit p --once # it waits for the nodes
  id=$(grep -o '"job_id":"[0-9]*"' "$work/p/launch.jsonl" | tail -n 1 | tr -dc 0-9)
  oarhold "$id" >"$work/hold.log" || fail "it could not be held"
  oardel "$other" >>"$work/hold.log"
  "$dlscale" wait "$work/p" --poll 0.5 >"$work/wait.log" &
  sleep 5
  kill -0 $! || fail "a held job is not over"
  "$dlscale" status "$work/p" >"$work/status.log"
  oarresume "$id" >>"$work/hold.log"
  wait $! || fail "the run failed"
  each_run_once p
}

# Somebody deletes a job by hand; retry brings it back.
cancelled_by_hand() {
  make_plan p 1
  echo 60 >"$work/seconds"
  expect 0 submit p
  wait_for 60 is_running
  oardel "$(grep -o '"job_id":"[0-9]*"' "$work/p/launch.jsonl" | tail -n 1 | tr -dc 0-9)" >"$work/del.log"
  expect 1 "$dlscale" wait "$work/p" --poll 0.5 >"$work/wait.log"
  [[ $(state_of_all p) == "1 cancelled" ]] || fail "$(state_of_all p)"
  echo 0.1 >"$work/seconds"
  expect 0 "$dlscale" retry "$work/p" --state cancelled --wait --poll 0.5 >"$work/retry.log" 2>&1
  [[ $(state_of_all p) == "1 done" ]] || fail "$(state_of_all p)"
}
is_running() { grep -qs '"event":"started"' "$work"/p/logs/*.end; }

"$fault"
echo "$fault: as it should be"
