#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the files that SLURM jobs wrote. Usage: runs_ended.py FOLDER_OF_PLANS"""
import json
import re
import sys
from itertools import combinations
from pathlib import Path


def expected(run_ids):
    return 5 if any("-b9-" in run for run in run_ids) else 0


def notes_of_ends(folder):
    notes = [json.loads(line) for log in sorted((folder / "logs").glob("*.end"))
             for line in log.read_text().splitlines()]
    return [note for note in notes if note["event"] == "ended"]


def check_ends(folder):
    """Checks that each run has one end entry with its exit code and the same files as a single job."""
    runs = [run["run_id"] for run in json.loads((folder / "plan.json").read_text())["runs"]]
    ends = notes_of_ends(folder)
    assert sorted(end["run_id"] for end in ends) == sorted(runs), (folder, ends)
    for end in ends:
        assert end["exit_code"] == expected([end["run_id"]]) and "reason" not in end, end
    for run in runs:
        left = sorted(file.name for file in (folder / "runs" / run).iterdir())
        assert left == ["launch-1", "run.json"], left
        assert json.loads((folder / "runs" / run / "run.json").read_text())["run_id"] == run


def check_gpus(plans):
    """Checks that no two runs shared a GPU at the same time and that runs of a packed job overlapped."""
    uses, side_by_side = [], 0
    for note in plans.glob("*/runs/*/launch-1/stdout"):
        job, nodes, gpus, begin, end = note.read_text().split()
        assert len(gpus.split(",")) == min(4, int(re.search(r"-g(\d+)-", str(note))[1])), note
        uses.append((nodes, set(gpus.split(",")), int(begin), int(end), job))
    for one, other in combinations(uses, 2):
        same_time = one[2] < other[3] and other[2] < one[3]
        assert not (one[0] == other[0] and one[1] & other[1] and same_time), (one, other)
        side_by_side += same_time and one[4] == other[4] and one[4].startswith("packed")
    assert side_by_side > 0, uses
    return len(uses)


def check_jobs(plans):
    """Checks that SLURM recorded the exit code of each job, which is non-zero if a run of the job failed."""
    jobs = (plans / "jobs.txt").read_text().splitlines()
    for job in jobs:
        script = Path(re.search(r"Command=(\S+)", job)[1])
        folder = script.parent.parent
        ended = [end for end in notes_of_ends(folder) if end["job"] == script.stem]
        number = re.match(r"JobId=(\d+)", job)[1]
        code = expected(end["run_id"] for end in ended if end["job_id"] == number)
        assert f" ExitCode={code}:0 " in job, job
    return len(jobs)


def main():
    plans = Path(sys.argv[1])
    for folder in ("single", "packed", "array"):
        check_ends(plans / folder)
    print(f"{check_gpus(plans)} runs in {check_jobs(plans)} jobs ended as they should")


main()
