#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Injects a fault while dlscale submits jobs to a real SLURM and follows the jobs. No run may be lost or
# run twice. usage: slurm.sh DLSCALE FAULT
# FAULT is the name of a function below or in any_batch_system.bash.
# shellcheck source-path=SCRIPTDIR source=faults.bash
source "$(dirname "$0")/faults.bash" "$@"
# shellcheck source=any_batch_system.bash
source "$(dirname "$0")/any_batch_system.bash"
cluster_kind=slurm
kill_step_ms=10
short_walltime=()

if [[ -z ${3:-} ]]; then
  options=()
  [[ $fault != memory ]] || options=(--limit-memory)
  in_cluster slurm_cluster.sh "${options[@]}"
fi

# batch_system_saw_each_once NAME: checks that SLURM's records have each job and array task exactly once.
batch_system_saw_each_once() {
  scontrol show jobs -o >"$work/jobs.log"
  python3 - "$work/jobs.log" "$work/$1" <<'PY' || fail "SLURM has other jobs than it should"
import json, pathlib, re, sys
folder = pathlib.Path(sys.argv[2])
seen = {}
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    script = re.search(r"Command=(\S+)", line)[1]
    if script.startswith(str(folder) + "/"):
        task = re.search(r"ArrayTaskId=(\S+)", line)
        key = (pathlib.Path(script).stem, task[1] if task else "")
        seen[key] = seen.get(key, 0) + 1
runs = sum(len(job["run_ids"]) for job in json.loads((folder / "plan.json").read_text())["jobs"])
print(len(seen), "jobs and tasks for", runs, "runs", {k: n for k, n in seen.items() if n > 1})
sys.exit(0 if len(seen) == runs and set(seen.values()) == {1} else 1)
PY
}

has_no_jobs() { [[ -z $(squeue -h) ]]; }
cancel_by_hand() { scancel "$1"; }
# SLURM rejects an end time that has already passed and checks time limits every 30 s.
let_time_run_out() { scontrol update job="$1" EndTime=now+5seconds; }
# SLURM saves jobs a few seconds after their submission and after each change.
server_knows_its_jobs() { wait_for 30 has_saved 2; }
has_saved() { [[ $(grep -ao "$work/p/jobs/[^/]*\.sh" /run/cluster/saved/job_state | sort -u | wc -l) == "$1" ]]; }

# dlscale is killed at several instants while the jobs are array tasks.
killed_arrays() {
  make_plan p 20 -S launch.array=true -S launch.pack=false
  for _ in 1 2 3 4 5 6; do
    submit p --max-jobs 3 &
    sleep "0.$((RANDOM % 8 + 1))"
    kill -KILL $! 2>/dev/null || true
    wait $! || true
  done
  wait_for 20 submit p --wait --max-jobs 12
  each_run_once p
}

# The controller is down when jobs are submitted.
down_at_submit() {
  make_plan p 4
  fault controller stop
  submit p --wait &
  wait_for 60 grep -q 'retrying in' "$work/submit.log"
  fault controller start
  wait $! || fail "submit failed"
  each_run_once p
}

# The controller is down while dlscale follows jobs.
down_at_poll() {
  make_plan p 2
  hold_runs
  submit p --wait &
  wait_for 30 has_events p started 2
  fault controller stop
  let_runs_end
  wait_for 60 grep -q 'retrying in' "$work/submit.log"
  fault controller start
  wait $! || fail "submit failed"
  each_run_once p
}

# `dlscale submit --once` does not wait for the controller and exits with code 4.
down_once() {
  make_plan p 2
  fault controller stop
  expect 4 submit p --once
  fault controller start
  expect 0 submit p --wait
  each_run_once p
}

# A user requeues a job.
requeued() {
  make_plan p 1
  hold_runs
  submit p --wait &
  wait_for 30 has_events p started 1
  scontrol requeue "$(last_job p)"
  let_runs_end
  wait $! || fail "the run failed"
  was_requeued p 2
}

# The job of a run that can be resumed requeues itself.
goes_on_later() {
  touch "$work/again"
  make_plan p 1
  hold_runs
  submit p --wait &
  wait_for 30 has_events p started 1
  let_runs_end
  wait $! || fail "submit failed"
  was_requeued p 2
}

# The node of a running job crashes. The run has state node_fail, and `retry` avoids the node even
# after the node is back.
node_failure() {
  site_says='requeue = false'
  make_plan p 1
  hold_runs
  expect 0 submit p
  wait_for 30 has_trained
  fault node crash "$(node_of p 1)"
  expect 1 follow p
  all_are p node_fail
  fault node boot "$(node_of p 1)"
  wait_for 60 all_nodes_are_up
  let_runs_end
  goes_elsewhere_on_retry p
}
all_nodes_are_up() { [[ $(sinfo -hN -t idle -o %N | sort -u | wc -l) == 2 ]]; }

# The node of a running job crashes, and SLURM may requeue the job itself.
node_failure_requeued() {
  make_plan p 1
  hold_runs
  submit p --wait &
  wait_for 30 has_events p started 1
  wait_for 30 has_trained
  fault node crash "$(node_of p 1)"
  let_runs_end
  wait $! || fail "the run failed"
  was_requeued p 2
}

# The kernel kills a job that uses more memory than it requested.
memory() {
  make_plan p 1
  touch "$work/hungry"
  expect 1 submit p --wait
  all_are p oom
  rm "$work/hungry"
  expect 0 retry p
  all_are p "done"
}

# Folder names contain characters that shells interpret, as far as SLURM accepts such names.
hostile_names() {
  local name="-x,=@+:.sh"
  make_plan "$name" 2 -S study.name=_help.-7
  expect 0 submit "$name" --wait
  all_are "$name" "done"
  [[ $(scontrol show jobs -o | wc -l) == 2 ]] || fail "not two jobs"
  refuses_to_plan "it's \$(x)"
}

"$fault"
echo "$fault: as it should be"
