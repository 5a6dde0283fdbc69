#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the studies of examples/studies/accuracy on real data and compares their results with the interval that each
study states.

A study states the expected mean over the last evaluations of its runs in a line such as
    # Expected: accuracy 0.988 to 0.995
The table shows the mean, the smallest and the largest value of the runs. The exit code is 1 if a mean is outside its
interval or a run did not complete. A second call with the same folder continues the studies.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

STUDIES = pathlib.Path(__file__).resolve().parent.parent / "examples/studies/accuracy"
EXPECTED = re.compile(r"^# Expected: (\w+) ([\d.]+) to ([\d.]+)", re.MULTILINE)
ROWS = ["study", "metric", "runs", "mean", "smallest to largest", "expected",
        "training of a run, s"]


def prepare(data, folder):
    """Returns a folder with a link to each data set. Data sets that consist of archives are unpacked there."""
    prepared = folder / "data"
    prepared.mkdir(parents=True, exist_ok=True)
    for source in data.iterdir():
        archives = sorted(source.glob("*.tar.gz")) if source.is_dir() else []
        target = prepared / source.name
        if target.exists():
            continue
        if not archives:
            target.symlink_to(source)
            continue
        target.mkdir()
        for archive in archives:
            subprocess.run(["tar", "-xzf", archive, "-C", target], check=True)
    return prepared


def last_records(run):
    """Returns the last evaluation of a run (None if the run is not complete) and its seconds of training."""
    evaluation, seconds, complete = None, 0.0, False
    launches = sorted(run.glob("launch-*"), key=lambda path: int(path.name.split("-")[1]))
    for launch in launches:
        for line in (launch / "results.jsonl").read_text().splitlines():
            record = json.loads(line)
            kind = record["record"]
            if kind == "eval":
                evaluation = record
            elif kind == "epoch":
                seconds += record["wall_s"]
            elif kind == "run_stop":
                complete = record["outcome"] == "Completed"
    return (evaluation, seconds) if complete else (None, seconds)


def value_of(evaluation, metric):
    return evaluation[metric] if metric in evaluation else evaluation["metrics"][metric]


def train(dlscale, study, folder, data):
    plan = folder / study.stem
    log = folder / f"{study.stem}.log"
    with open(log, "w") as out:
        code = subprocess.run([dlscale, "run", study, "--site", "local", "-o", plan], stdout=out,
                              stderr=subprocess.STDOUT, env={**os.environ, "DATA": str(data)},
                              check=False).returncode
    if code != 0:
        sys.exit(f"accuracy_bench: {study.name} ended with exit code {code}; see {log}")
    return [last_records(run) for run in sorted((plan / "runs").iterdir())]


def row_of(study, runs):
    metric, low, high = EXPECTED.search(study.read_text()).groups()
    done = [(value_of(evaluation, metric), seconds) for evaluation, seconds in runs if evaluation]
    values = [value for value, _ in done]
    mean = statistics.mean(values) if values else float("nan")
    fits = len(done) == len(runs) and float(low) <= mean <= float(high)
    seconds = statistics.median(s for _, s in done) if done else float("nan")
    digits = 2 if mean > 2 else 4
    return fits, [study.stem, metric, f"{len(done)} of {len(runs)}", f"{mean:.{digits}f}",
                  f"{min(values):.{digits}f} to {max(values):.{digits}f}" if values else "",
                  f"{low} to {high}" + ("" if fits else ", **missed**"), f"{seconds:.0f}"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example:\n  bench/accuracy_bench.py build/release/bin/dlscale --data ~/data "
               "--out accuracy mnist-mlp sst-nbow")
    parser.add_argument("dlscale")
    parser.add_argument("--data", type=pathlib.Path, required=True,
                        help="folder with mnist, cifar10, ag_news, sst, multi30k")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for plans and runs")
    parser.add_argument("study", nargs="*", help="studies to train, for example mnist-cnn (default: all)")
    options = parser.parse_intermixed_args()
    known = {path.stem: path for path in sorted(STUDIES.glob("*.toml"))}
    for name in options.study:
        if name not in known:
            parser.error(f"no study {name}; there are {', '.join(known)}")
    options.out.mkdir(parents=True, exist_ok=True)
    data = prepare(options.data.resolve(), options.out.resolve())
    print("| " + " | ".join(ROWS) + " |\n|" + "---|" * len(ROWS), flush=True)
    good = True
    for name in options.study or known:
        fits, row = row_of(known[name], train(options.dlscale, known[name], options.out, data))
        print("| " + " | ".join(row) + " |", flush=True)
        good = good and fits
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
