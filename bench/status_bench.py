#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times how fast dlscale determines the states of the runs of a large plan folder without a query to a batch system.

The folder holds 10,000 planned runs as tasks of job arrays, and a launch log as a launcher writes it. The bench times
four states of the folder: no run was submitted, a tenth of the runs is done, all runs are done, and a tenth of the runs
is running while the rest is done. Submitted runs have results in their folders. The folder is in memory (/dev/shm).
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from plan_bench import AXES, SITE, study_text  # noqa: E402

RUN_START = {"record": "run_start", "schema_version": 1, "launch": 1, "time": 1.0, "world_size": 4}


def launch_log(plan, done, running):
    """Returns the records of `done` runs that have ended and of the `running` runs that follow them."""
    lines, left = [], done + running
    for job in plan["jobs"]:
        runs = job["run_ids"][:left]
        if not runs:
            break
        token, number = f"t{len(lines):011d}", str(1000 + len(lines))
        about = {"job": job["name"], "launch": token}
        tasks = [f"{number}_{i}" for i in range(len(runs))]
        lines.append({"event": "submitting", "runs": runs, "time": 1.7e9, **about})
        lines.append({"event": "submitted", "job_id": number, "task_ids": tasks, "time": 1.7e9,
                      **about})
        lines.append({"event": "started", "runs": runs, "job_id": number, "time": 1.7e9, **about})
        for run, task in zip(runs, tasks):
            if done == 0:
                break
            lines.append({"event": "ended", "run_id": run, "job_id": task, "time": 1.7e9 + 60.25,
                          "outcome": "Completed", "exit_code": 0, "nodes": ["node0123"],
                          "elapsed_s": 60.0, "reason": "", **about})
            done -= 1
        left -= len(runs)
    return "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)


def write_state(folder, plan, done, running):
    shutil.rmtree(folder / "runs", ignore_errors=True)
    (folder / "runs").mkdir()
    (folder / "launch.jsonl").write_text(launch_log(plan, done, running))
    ids = [run for job in plan["jobs"] for run in job["run_ids"]]
    for run in ids[:done + running]:
        launch = folder / "runs" / run / "launch-1"
        launch.mkdir(parents=True)
        (launch / "results.jsonl").write_text(json.dumps({**RUN_START, "run_id": run}) + "\n")


def timed(command, repetitions):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dlscale")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        study, folder = work / "study.toml", work / "plan"
        study.write_text(study_text(AXES, launch="[launch]\narray = true"))
        subprocess.run([options.dlscale, "plan", str(study), "--site", SITE, "-o", str(folder)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        plan = json.loads((folder / "plan.json").read_text())
        n = len(plan["runs"])
        print("| what | median s | range s | bar |\n|---|--:|--:|---|")
        for what, done, running in [("nothing submitted", 0, 0), ("a tenth done", n // 10, 0),
                                    ("all done", n, 0), ("a tenth runs, the rest is done",
                                                         n - n // 10, n // 10)]:
            write_state(folder, plan, done, running)
            for verb in (["list", "--json"], ["status", "--offline"]):
                times = timed([options.dlscale, verb[0], str(folder), *verb[1:]],
                              options.repetitions)
                print(f"| {n:,} runs, {what}: dlscale {' '.join(verb)} | "
                      f"{statistics.median(times):.3f} | {min(times):.3f}–{max(times):.3f} | "
                      "≤ 0.1 s |")
        print(f"\n{os.cpu_count()} cores, {platform.system()} {platform.release()}; medians of "
              f"{options.repetitions}; load before: {os.getloadavg()[0]:.1f}.")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
