# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Faults that every batch system can have. Sourced after faults.bash.
# shellcheck disable=SC2154 # faults.bash and the sourcing script set the variables

# dlscale is killed at twenty instants. After each kill, another dlscale continues.
killed() {
  make_plan p 30
  kill_submitters p 20 "${kill_step_ms:?}"
  wait_for 60 submit p --wait
  each_run_once p
}

# Two dlscale processes submit the same runs. One of the two must exit with an error.
two_at_once() {
  make_plan p 6
  submit p --wait &
  local first=$! codes=0
  submit p --wait || codes=$((codes + $?))
  wait "$first" || codes=$((codes + $?))
  [[ $codes == 1 ]] || fail "one of two is to be refused, and only one"
  grep -q 'another dlscale is running the jobs of' "$work/submit.log" || fail "nobody said why"
  expect 0 submit p --wait
  each_run_once p
}

# The file system of the plan folder, a small tmpfs, is full.
disk_full() {
  make_plan p 4
  expect 0 submit p --max-jobs 2 --once
  expect 0 follow p
  fill_disk p
  expect 1 submit p
  grep -q 'No space left' "$work/submit.log" || fail "no reason given"
  rm "$work/p/filler"
  expect 0 submit p --wait
  each_run_once p
}

# The file system becomes full while jobs run, so the jobs cannot record how they end.
# `retry` submits the failed runs again, and no run is lost.
disk_full_running() {
  make_plan p 2
  hold_runs
  expect 0 submit p
  wait_for 60 has_started p 2
  wait_for 20 both_record
  fill_disk p
  let_runs_end
  wait_for 60 has_no_jobs
  expect 1 "$dlscale" wait "$work/p" --poll "$(poll_s)" >"$work/full.log" 2>&1
  rm "$work/p/filler"
  expect 1 submit p --wait
  all_are p failed
  expect 0 retry p
  all_are p "done"
  [[ $(events p submitting) == 4 ]] || fail "each run was to be submitted twice"
}
both_record() { [[ $(cat "$work"/p/runs/*/launch-1/results.jsonl | wc -l) == 2 ]]; }

# fill_disk NAME: fills the file system so that no byte can be written, not even to open files.
fill_disk() {
  local file size
  for file in "$work/$1"/launch.jsonl "$work/$1"/logs/*.end "$work/$1"/runs/*/launch-*/results.jsonl; do
    [[ -e $file ]] || continue
    size=$(stat -c %s "$file") # fill the last page of the file too
    head -c $((4096 - size % 4096)) /dev/zero | tr '\0' '\n' >>"$file"
  done
  head -c 10m /dev/zero >"$work/$1/filler" 2>/dev/null || true
}

# The machine failed while dlscale wrote the log. The last line is cut off or followed by zeros.
corrupted() {
  make_plan p 4
  hold_runs
  expect 0 submit p --max-jobs 1 --once
  truncate -s -30 "$work/p/launch.jsonl" # cuts the entry with the job id
  expect 0 submit p --max-jobs 1 --once
  [[ $(events p submitting) == 1 ]] || fail "it was submitted twice"
  printf '{"event":"submitting","job":"d' >>"$work/p/launch.jsonl"
  expect 0 submit p --max-jobs 2 --once
  head -c 100 /dev/zero >>"$work/p/launch.jsonl"
  let_runs_end
  expect 0 submit p --wait
  each_run_once p
}

# The clocks of the login node and of the compute nodes differ by a day, in either direction.
clock_skew() {
  local day
  for day in 86400 -86400; do
    make_plan "p$day" 3
    hold_runs
    expect 0 submit "p$day" --max-jobs 2 --once
    wait_for 60 has_started "p$day" 2
    python3 - "$work/p$day" "$day" <<'PY'
import json, pathlib, sys
folder, day = pathlib.Path(sys.argv[1]), int(sys.argv[2])
for file in [folder / "launch.jsonl", *folder.glob("logs/*.end")]:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        line["time"] += day
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
PY
    let_runs_end
    expect 0 submit "p$day" --wait
    each_run_once "p$day"
  done
}

# The server is killed while jobs run and end. The restarted server reports the jobs.
server_killed() {
  make_plan p 2
  hold_runs
  submit p --wait &
  wait_for 60 has_started p 2
  server_knows_its_jobs
  fault controller kill
  let_runs_end
  wait_for 60 has_ends p 2
  fault controller start
  wait $! || fail "submit failed"
  each_run_once p
}
has_ends() { [[ $(cat "$work/$1"/logs/*.end | grep -c '"event":"ended"') -ge $2 ]]; }

# A user cancels a job by hand. `retry` submits the run again.
cancelled_by_hand() {
  make_plan p 1
  hold_runs
  expect 0 submit p
  wait_for 60 has_started p 1
  cancel_by_hand "$(last_job p)"
  expect 1 follow p
  all_are p cancelled
  let_runs_end
  expect 0 retry p --state cancelled
  all_are p "done"
}

# The batch system ends a job at its time limit. `retry` submits another job.
time_limit() {
  make_plan p 1 "${short_walltime[@]}"
  hold_runs
  expect 0 submit p
  wait_for 60 has_started p 1
  let_time_run_out "$(last_job p)"
  expect 1 follow p
  all_are p timeout
  let_runs_end
  expect 0 retry p
  all_are p "done"
}
