#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much time the Python package needs to record the steps of a training script.

usage: tools/setup --python && $(tools/setup --print-python)/bin/python bench/python_recorder.py [--rounds N] [-o FILE]

The first table shows the cost of a recorded step and of a step that ends a window, in loops that do nothing else. For
the second table, each rank computes for 5 ms in each step, adds up a tensor with the other ranks (gloo), and logs a
tensor as its loss. Each round trains with and without the recorder, in alternating order. -o writes the tables to a
Markdown file.
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
SMALLEST_DIFFERENCE = 0.01  # the ratios must be able to show a cost of this size
WINDOW_S = 1  # the shortest time of a window after the first one
# Steps and repetitions of the loops that compute nothing.
EMPTY_STEPS, EMPTY_WINDOWS, REPETITIONS = 100_000, 2000, 5


def step(tensor, distributed):
    """Computes for STEP_S seconds. The ranks end the step together."""
    end = time.perf_counter() + STEP_S
    while time.perf_counter() < end:
        pass
    if distributed is not None:
        distributed.all_reduce(tensor)


def measure(rounds):
    """Returns the costs of a step and of a step that ends a window, and each round as (without, with), in seconds.

    Every rank calls this function.
    """
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

    def empty_step_s(steps, window_steps):
        """Returns the time of a recorded step that computes nothing, in windows of `window_steps` steps."""
        with tempfile.TemporaryDirectory() as folder, dlscale.run(folder=folder, window_steps=window_steps) as run:
            begin = time.perf_counter()
            for _ in run.steps(itertools.repeat(batches[0], steps)):
                run.log(loss=loss, lr=0.1)
            return (time.perf_counter() - begin) / steps

    step_s = [empty_step_s(EMPTY_STEPS, EMPTY_STEPS) for _ in range(REPETITIONS)]
    window_s = [empty_step_s(EMPTY_WINDOWS, 1) for _ in range(REPETITIONS)]
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
    return step_s, window_s, times


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
    load = os.getloadavg()[0]
    lines = ["# Cost of recording a training script", "",
             "`bench/python_recorder.py -o docs/measurements/python_recorder.md` wrote this page.", "",
             f"Python {platform.python_version()}, {os.cpu_count()} cores, PyTorch on CPUs with gloo. Before the "
             f"measurement, the load average was {load:.1f}.", "",
             "## Cost of steps and windows", "",
             f"The table shows medians and ranges of {REPETITIONS} loops whose steps compute nothing. In one loop, no",
             "step ends a window. In the other, each step does. A window contains the steps of about "
             f"{WINDOW_S} s or more,", "except the first window of a launch and the last window of an epoch. "
             "The last column is the share of the", f"recorder in a training with steps of {STEP_S * 1000:g} ms, of "
             f"which one in {WINDOW_S / STEP_S:.0f} ends a window, from the medians.", "",
             "| ranks | step (µs) | range | step that ends a window (µs) | range | share |",
             "|---|---|---|---|---|---|"]
    ratio_lines = ["", "## Time with and without the recorder", "",
                   f"A round trains {STEPS} steps with and without the recorder. A step computes for "
                   f"{STEP_S * 1000:g} ms, and the ranks end it together.", "The time with the recorder includes its "
                   f"start and its end. The ratios of {arguments.rounds} rounds are", "time with / time without the "
                   "recorder.", "",
                   "| ranks | step without (ms) | step with (ms) | ratio, median | ratio, quartiles | ratio, range |",
                   "|---|---|---|---|---|---|"]
    spreads = []
    for ranks in (1, 2):
        step_s, window_s, times = start(ranks, arguments.rounds)
        share = (statistics.median(step_s) + statistics.median(window_s) * STEP_S / WINDOW_S) / STEP_S
        costs = [f"{1e6 * statistics.median(each):.1f} | {1e6 * min(each):.1f} to {1e6 * max(each):.1f}"
                 for each in (step_s, window_s)]
        lines.append(f"| {ranks} | {costs[0]} | {costs[1]} | {100 * share:.2f} % |")
        ratios = sorted(recorded / without for without, recorded in times)
        steps_ms = [1000 * statistics.median(row[column] for row in times) / STEPS for column in (0, 1)]
        low, median, high = statistics.quantiles(ratios, n=4)
        spreads.append(high - low)
        ratio_lines.append(f"| {ranks} | {steps_ms[0]:.3f} | {steps_ms[1]:.3f} | {median:.4f} | "
                           f"{low:.4f} to {high:.4f} | {ratios[0]:.4f} to {ratios[-1]:.4f} |")
    if max(spreads) > SMALLEST_DIFFERENCE:
        ratio_lines += ["", f"The quartiles differ by up to {100 * max(spreads):.1f} %, so the ratios do not show "
                        f"whether the recorder costs less than {100 * SMALLEST_DIFFERENCE:g} %.",
                        "The first table does not use these times."]
    lines += [*ratio_lines, "", "## What was not measured", "",
              "GPUs, other backends than gloo, several nodes and more than 2 ranks. With a GPU, the end of a window "
              "also waits", "for the work that the GPU has not finished."]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if arguments.output is not None:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
