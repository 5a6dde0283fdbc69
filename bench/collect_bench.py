#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time of `dlscale collect`, `analyze` and `report` on 10,000 runs with the time of pandas.

  bench/collect_bench.py build/release/bin/dlscale [--python PYTHON] [--repetitions 5]

The plan folder is in memory (/dev/shm). First every run has a small results file: the start, four step windows, two
epochs with evaluations, and the end. Then a tenth of the runs has 1,000 lines each, which makes about a million step
windows in all. `PYTHON` is a Python interpreter with pandas (pip install pandas). It reads the same files or the same
database, and computes the same median throughput of each point. Without `PYTHON` the table has no rows for pandas. The
two sides take turns. The table shows medians and ranges.
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

PARTS = ["backward", "bubble", "exposed_comm", "forward", "h2d", "load_wait", "optimizer", "other"]
LONG_LINES = 1000

# This program reads every results.jsonl, keeps the step windows, and prints the median throughput
# of each point.
READ_FILES = r'''
import json, pathlib, sys
import pandas as pd
rows = []
for path in pathlib.Path(sys.argv[1]).glob("runs/*/launch-*/results.jsonl"):
    run = path.parts[-3]
    with open(path) as f:
        for line in f:
            record = json.loads(line)
            if record["record"] == "step_window" and not record["warmup"]:
                rows.append((run, record["samples"], record["wall_s"]))
frame = pd.DataFrame(rows, columns=["run", "samples", "wall_s"]).groupby("run").sum()
rate = frame.samples / frame.wall_s
print(rate.groupby(rate.index.str.replace(r"-r\d+$", "", regex=True)).median().to_csv())
'''

# This program reads the step windows from the database and prints the median throughput of each
# point.
READ_DATABASE = r'''
import sqlite3, sys
import pandas as pd
windows = pd.read_sql("SELECT run_id, samples, wall_s FROM step_window WHERE warmup = 0",
                      sqlite3.connect(sys.argv[1] + "/results.sqlite"))
frame = windows.groupby("run_id").sum()
rate = frame.samples / frame.wall_s
print(rate.groupby(rate.index.str.replace(r"-r\d+$", "", regex=True)).median().to_csv())
'''


def spread(seconds):
    return {"max": seconds * 1.2, "mean": seconds, "p50": seconds, "p90": seconds * 1.1}


def lines_of(run, windows):
    """Yields the records of a results file in the format of dlscale-train."""
    spec = run["spec"]
    steps, ranks = 50, spec["gpus"]
    samples = steps * spec["global_batch"]
    step_s = 0.1 + spec["global_batch"] / 4e5
    yield {"record": "run_start", "schema_version": 1, "run_id": run["run_id"], "launch": 1,
           "time": 1.7e9, "world_size": ranks, "nodes": spec["resources"]["nodes"],
           "hosts": ["node0001"], "environment": {"cpu": "bench", "torch": "2.11.0"},
           "parameters": 25557032, "trainable_parameters": 25557032, "train_samples": 1281167,
           "test_samples": 50000, "steps_per_epoch": steps * windows // 2, "padded_samples": 0,
           "dropped_samples": 0, "resumed_from": "", "trainer_version": "0.1.0"}
    for i in range(windows):
        yield {"record": "step_window", "epoch": 2 * i // windows, "first_step": i * steps,
               "steps": steps, "warmup": i == 0, "time": 1.7e9 + i, "samples": samples,
               "wall_s": steps * step_s * (1 + i % 7 / 100), "lr": 0.1, "train_loss": 2.5,
               "bytes_sent": 1e9, "collectives": 300.0, "peak_memory_bytes": 1e10,
               "comm_busy_s": spread(0.4), "comm_wait_s": spread(0.1),
               "parts": {part: spread(step_s * steps / len(PARTS)) for part in PARTS}}
        if i == windows // 2 - 1 or i == windows - 1:
            epoch = 2 * i // windows
            yield {"record": "epoch", "epoch": epoch, "lr": 0.1, "samples": samples * windows // 2,
                   "steps": steps * windows // 2, "time": 1.7e9 + i, "train_loss": 2.5,
                   "wall_s": steps * windows // 2 * step_s}
            yield {"record": "eval", "epoch": epoch, "accuracy": 0.7, "correct": 35000,
                   "loss": 1.2, "samples": 50000, "time": 1.7e9 + i, "wall_s": 3.0}
    yield {"record": "run_stop", "time": 1.7e9 + windows, "outcome": "Completed", "reason": "",
           "exit_code": 0}


def write_results(folder, runs, windows):
    for run in runs:
        launch = folder / "runs" / run["run_id"] / "launch-1"
        launch.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n"
                       for line in lines_of(run, windows))
        (launch / "results.jsonl").write_text(text)


def planned_runs(dlscale, work, folder):
    """Plans the runs with a script for each run, so that each run has its run.json. Returns the runs."""
    study = work / "study.toml"
    study.write_text(study_text(AXES))
    subprocess.run([dlscale, "plan", str(study), "--site", SITE, "-o", str(folder)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    runs = json.loads((folder / "plan.json").read_text())["runs"]
    for run in runs:
        run["spec"] = json.loads((folder / "runs" / run["run_id"] / "run.json").read_text())
    return runs


class Sides:
    """Times commands, which take turns, and prints a row for each command."""

    def __init__(self, repetitions):
        self.repetitions = repetitions

    def once(self, command, before):
        before()
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - start

    def compare(self, sides):
        """Times the sides. A side is a tuple of name, command, function to call before the command, and target. Ratios
        refer to the first side."""
        times = {side[0]: [] for side in sides}
        for _ in range(self.repetitions):
            for what, command, before, _ in sides:
                times[what].append(self.once(command, before))
        first = statistics.median(times[sides[0][0]])
        for what, _, _, bar in sides:
            mine = times[what]
            ratio = statistics.median(mine) / first
            print(f"| {what} | {statistics.median(mine):.3f} | {min(mine):.3f}–{max(mine):.3f} | "
                  f"{ratio:.2f} | {bar} |", flush=True)


def nothing():
    pass


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dlscale")
    parser.add_argument("--python", help="Python interpreter with pandas")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(dir="/dev/shm"))
    sides = Sides(options.repetitions)
    try:
        folder = work / "plan"
        runs = planned_runs(options.dlscale, work, folder)
        dlscale = lambda verb, *words: [options.dlscale, verb, str(folder), *words]
        peer = lambda what, text: ([(what, [options.python, "-c", text, str(folder)], nothing, "")]
                                   if options.python else [])
        forget = lambda: (folder / "results.sqlite").unlink(missing_ok=True)
        collect = dlscale("collect", "--no-tables")

        print("| what | median s | range s | ratio | bar |\n|---|--:|--:|--:|---|")
        write_results(folder, runs, 4)
        n = f"{len(runs):,} small files"
        sides.compare([(f"{n}: dlscale collect, first time", collect, forget, "≤ 1 s"),
                       *peer(f"{n}: pandas, json.loads of each line", READ_FILES)])
        sides.compare([(f"{n}: dlscale collect, nothing changed", collect, nothing, "≤ 0.4 s")])
        sides.compare([("dlscale analyze --metric efficiency",
                        dlscale("analyze", "--metric", "efficiency"), nothing, "")])

        write_results(folder, runs[::10], LONG_LINES)
        subprocess.run(collect, check=True, stdout=subprocess.DEVNULL)
        windows = len(runs) // 10 * LONG_LINES + (len(runs) - len(runs) // 10) * 4
        n = f"{windows:,} step windows"
        sides.compare([(f"{n}: dlscale analyze --metric throughput",
                        dlscale("analyze", "--metric", "throughput"), nothing, "≤ 1 s"),
                       *peer(f"{n}: pandas, of the same database", READ_DATABASE)])
        sides.compare([(f"{n}: dlscale report",
                        dlscale("report", "-o", str(work / "report")),
                        lambda: shutil.rmtree(work / "report", ignore_errors=True), "≤ 5 s")])
        print(f"\n{os.cpu_count()} cores, {platform.system()} {platform.release()}; medians of "
              f"{options.repetitions}, in turns; load before: {os.getloadavg()[0]:.1f}.")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
