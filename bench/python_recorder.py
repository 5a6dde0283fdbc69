#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much longer a step of 5 ms takes if the Python package records it.

usage: tools/setup --python && $(tools/setup --print-python)/bin/python bench/python_recorder.py [--rounds N] [-o FILE]

Each rank computes for 5 ms, adds up a tensor with the other ranks (gloo), and logs a tensor as its loss. Each round
trains with and without the recorder, in alternating order. The table shows the median of the ratios of their times, and
the smallest and the largest ratio. The cost of a step is also measured in a loop that does nothing else. -o writes the
table to a Markdown file.
"""
import argparse
import itertools
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEP_S = 0.005
STEPS = 200
EMPTY_STEPS = 100_000


def step(tensor, distributed):
    """Computes for STEP_S seconds. The ranks end the step together."""
    end = time.perf_counter() + STEP_S
    while time.perf_counter() < end:
        pass
    if distributed is not None:
        distributed.all_reduce(tensor)


def measure(rounds):
    """Returns the time of an empty step, and of each round as (without, with), in seconds. Every rank calls this function."""
    sys.path.insert(0, str(ROOT / "python"))
    import torch

    import dlscale

    distributed = torch.distributed if int(os.environ["WORLD_SIZE"]) > 1 else None
    if distributed is not None:
        distributed.init_process_group("gloo")
    tensor, loss = torch.zeros(1000), torch.ones(())
    batches = [(torch.zeros(32, 8), torch.zeros(32))] * STEPS

    def without():
        for _ in batches:
            step(tensor, distributed)

    def recorded():
        with tempfile.TemporaryDirectory() as folder, dlscale.run(folder=folder) as run:
            for _ in run.steps(batches):
                step(tensor, distributed)
                run.log(loss=loss, lr=0.1)

    def empty_step_s():
        """Returns the time of a recorded step that computes nothing."""
        with tempfile.TemporaryDirectory() as folder, dlscale.run(folder=folder) as run:
            begin = time.perf_counter()
            for _ in run.steps(itertools.repeat(batches[0], EMPTY_STEPS)):
                run.log(loss=loss, lr=0.1)
            return (time.perf_counter() - begin) / EMPTY_STEPS

    empty_s = min(empty_step_s() for _ in range(3))
    times = []
    for number in range(rounds):
        round_s = {}
        for train in (without, recorded) if number % 2 == 0 else (recorded, without):
            if distributed is not None:
                distributed.barrier()
            begin = time.perf_counter()
            train()
            round_s[train.__name__] = time.perf_counter() - begin
        times.append((round_s["without"], round_s["recorded"]))
    if distributed is not None:
        distributed.destroy_process_group()
    return empty_s, times


def start(ranks, rounds):
    """Starts the ranks. Returns the times that rank 0 measured."""
    with tempfile.TemporaryDirectory() as folder:
        processes = [subprocess.Popen(
            [sys.executable, __file__, "--rank", "--rounds", str(rounds)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
                 "MASTER_PORT": "29417", "OMP_NUM_THREADS": "1", "TMPDIR": folder}) for rank in range(ranks)]
        outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode != 0 for process in processes):
        sys.exit("python_recorder: a rank failed")
    return json.loads(outputs[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.rank:
        print(json.dumps(measure(arguments.rounds)))
        return
    lines = ["# Cost of recording a training script", "",
             "`bench/python_recorder.py -o docs/measurements/python_recorder.md` wrote this page. A step computes for "
             f"{STEP_S * 1000:g} ms.", f"A round trains {STEPS} steps with and without the recorder of the Python "
             "package.", "", f"Python {platform.python_version()}, {os.cpu_count()} cores, {arguments.rounds} rounds. "
             "Ratios are time with / time without the recorder.", "Other programs used the cores as well: the load average "
             f"was {os.getloadavg()[0]:.1f}. If a ratio varies by more than its distance from 1, the cost in the empty "
             "loop", "is the better measure. It includes the exchange between the ranks.", "",
             "| ranks (gloo) | step without (ms) | step with (ms) | ratio, median | ratio, quartiles | ratio, range | cost in an "
             "empty loop (µs per step) |", "|---|---|---|---|---|---|---|"]
    for ranks in (1, 2):
        empty_s, times = start(ranks, arguments.rounds)
        ratios = sorted(recorded / without for without, recorded in times)
        steps_ms = [1000 * statistics.median(row[column] for row in times) / STEPS for column in (0, 1)]
        low, median, high = statistics.quantiles(ratios, n=4)
        lines.append(f"| {ranks} | {steps_ms[0]:.3f} | {steps_ms[1]:.3f} | {median:.4f} | "
                     f"{low:.4f} to {high:.4f} | {ratios[0]:.4f} to {ratios[-1]:.4f} | {1e6 * empty_s:.1f} |")
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if arguments.output is not None:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
