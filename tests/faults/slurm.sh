#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Things break while dlscale hands jobs to a real SLURM and follows them: no run is lost, none runs
# twice. usage: slurm.sh DLSCALE FAULT, with one of the functions below as the fault
# shellcheck source-path=SCRIPTDIR source=faults.bash
source "$(dirname "$0")/faults.bash" "$@"
cluster_kind=slurm

if [[ -z ${3:-} ]]; then
  make_trainer
  cluster=("$root/tests/support/slurm_cluster.sh" --running --site "$here/slurm.toml")
  if [[ $fault == disk_full ]]; then # nodes see what was mounted before them
    mkdir "$work/p"
    unshare --mount true 2>/dev/null || { echo "skipped: only root may mount"; exit 77; }
    cluster=(unshare --mount "$0" "$1" on_small_disk "$work" "${cluster[@]}")
  fi
  code=0
  "${cluster[@]}" "$0" "$1" "$2" "$work" || code=$?
  exit "$code"
fi

if [[ $fault == on_small_disk ]]; then
  mount -t tmpfs -o size=2m,mode=777 tmpfs "$work/p"
  "${@:4}"
  exit
fi

# Each job, and of arrays each task, once by SLURM's own records.
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

# dlscale dies at twenty instants; each time another one goes on.
killed() {
  make_plan p 30
  kill_submitters p 20 10
  wait_for 20 submit p --wait
  each_run_once p
}

# The same while the jobs are tasks of arrays.
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

# The controller is away when jobs are to be submitted.
down_at_submit() {
  make_plan p 4
  fault controller stop
  submit p --wait &
  wait_for 60 grep -q 'asking again' "$work/submit.log"
  fault controller start
  wait $! || fail "submit failed"
  each_run_once p
}

# The controller is away while jobs are followed.
down_at_poll() {
  make_plan p 3
  echo 3 >"$work/seconds"
  submit p --wait &
  wait_for 30 has_events p started 3
  fault controller stop
  wait_for 60 grep -q 'asking again' "$work/submit.log"
  fault controller start
  wait $! || fail "submit failed"
  each_run_once p
}

# --once does not wait for a controller: the exit code says so.
down_once() {
  make_plan p 2
  fault controller stop
  expect 4 submit p --once
  fault controller start
  expect 0 submit p --wait
  each_run_once p
}

two_at_once() {
  make_plan p 10
  submit p --wait &
  local first=$! codes=0
  submit p --wait || codes=$((codes + $?))
  wait "$first" || codes=$((codes + $?))
  [[ $codes == 1 ]] || fail "one of two is to be refused, and only one"
  grep -q 'another dlscale is running the jobs of' "$work/submit.log" || fail "nobody said why"
  expect 0 submit p --wait
  each_run_once p
}

# The folder of the plan, a small file system of its own, has no room left.
disk_full() {
  make_plan p 6
  expect 0 submit p --max-jobs 2 --once
  expect 0 "$dlscale" wait "$work/p" --poll 0.3 >"$work/wait.log"
  local size
  size=$(stat -c %s "$work/p/launch.jsonl") # its last page has no room left either
  head -c $((4096 - size % 4096)) /dev/zero | tr '\0' '\n' >>"$work/p/launch.jsonl"
  head -c 10m /dev/zero >"$work/p/filler" 2>/dev/null || true
  expect 1 submit p
  grep -q 'No space left' "$work/submit.log" || fail "no reason given"
  rm "$work/p/filler"
  expect 0 submit p --wait
  each_run_once p
}

# The last line of the log is cut off in its middle: of an intent, of a submission.
corrupted() {
  make_plan p 4
  expect 0 submit p
  local lines
  for lines in 4 2; do
    sed -i "$lines,\$d" "$work/p/launch.jsonl"
    printf '{"event":"submitted","job":"d' >>"$work/p/launch.jsonl"
    expect 0 submit p
  done
  expect 0 "$dlscale" wait "$work/p" --poll 0.3 >"$work/wait.log"
  each_run_once p
}

# Clocks of the login node and of the nodes are a day apart, in either direction.
clock_skew() {
  local day
  for day in 86400 -86400; do
    make_plan "p$day" 3
    expect 0 submit "p$day" --max-jobs 2 --once
    python3 - "$work/p$day" "$day" <<'PY'
import json, pathlib, sys
folder, day = pathlib.Path(sys.argv[1]), int(sys.argv[2])
for file in [folder / "launch.jsonl", *folder.glob("logs/*.end")]:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        line["time"] += day
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
PY
    expect 0 submit "p$day" --wait
    each_run_once "p$day"
  done
}

requeued() {
  make_plan p 1
  echo 2 >"$work/seconds"
  submit p --wait &
  wait_for 30 has_events p started 1
  scontrol requeue "$(squeue -h -o %i)"
  wait $! || fail "the run failed"
  has_events p requeued 1 || fail "nobody noted that the job waited again"
  [[ $(events p submitting) == 1 ]] || fail "it was submitted twice"
  [[ $(starts p) == 2 ]] || fail "it did not begin again"
  [[ $(state_of_all p) == "1 done" ]] || fail "it is not done"
}

# Somebody cancels a job by hand; retry brings it back.
cancelled_by_hand() {
  make_plan p 2
  echo 30 >"$work/seconds"
  submit p
  wait_for 30 has_two_running
  scancel "$(squeue -h -o %i | sort -n | head -n 1)"
  "$dlscale" cancel "$work/p" --run "$(list_last)" --yes >"$work/cancel.log" 2>&1
  expect 1 "$dlscale" wait "$work/p" --poll 0.3 >"$work/wait.log"
  [[ $(state_of_all p) == "2 cancelled" ]] || fail "$(state_of_all p)"
  echo 0.1 >"$work/seconds"
  expect 0 submit p
  [[ $(events p submitting) == 2 ]] || fail "submit brought back what was cancelled"
  expect 0 "$dlscale" retry "$work/p" --state cancelled --wait --poll 0.3 >"$work/retry.log" 2>&1
  [[ $(state_of_all p) == "2 done" ]] || fail "$(state_of_all p)"
}
has_two_running() { [[ $(squeue -h -t R | wc -l) == 2 ]]; }
list_last() { "$dlscale" list "$work/p" --csv | tail -n 1 | cut -d, -f1; }

time_limit() {
  make_plan p 1
  echo 300 >"$work/seconds"
  submit p
  wait_for 30 sh -c '[ -n "$(squeue -h -t R)" ]'
  scontrol update job="$(squeue -h -o %i)" EndTime=now
  expect 1 "$dlscale" wait "$work/p" --poll 0.5 >"$work/wait.log"
  [[ $(state_of_all p) == "1 timeout" ]] || fail "$(state_of_all p)"
}

# Folders are called what shells make something of, as far as SLURM takes such names.
hostile_names() {
  local name="-x,=@+:.sh"
  make_plan "$name" 2 -S study.name=_help.-7
  expect 0 submit "$name" --wait
  [[ $(state_of_all "$name") == "2 done" ]] || fail "not done"
  batch_system_saw_some
  expect 2 "$dlscale" plan "$root/tests/schedulers/small.toml" --site "$work/site.toml" \
    -o "$work/it's \$(x)" >"$work/refused.log" 2>&1
  [[ ! -e "$work/it's \$(x)" ]] || fail "what cannot be submitted was planned"
}
batch_system_saw_some() { [[ $(scontrol show jobs -o | wc -l) == 2 ]] || fail "not two jobs"; }

"$fault"
echo "$fault: each run once"
