#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of dlscale-train with Python frameworks of the same torch version.

Both sides train the same model on a batch in memory with one thread per rank. samples/s is the number of samples of all
ranks divided by the wall time of the blocks of steps, without the first block. A round launches every side of a cell
once, in an order that rotates from round to round. A ratio compares two launches of one round. The table shows the
median of the ratios and its 95 % bootstrap interval. A claim must hold for the lower end of the interval.

  bench/peers/setup DIR                                                (once)
  bench/train_bench.py --trainer build/release/bin/dlscale-train --python DIR/bin/python \\
      --raw launches.jsonl [--cells mlp,cnn] [--frameworks ddp,horovod] [--ranks 1,2] [--rounds 9]
  bench/train_bench.py --raw launches.jsonl --table                    (nothing is launched)

A second call does the remaining work. It does not repeat a launch that --raw already contains. If a launch of a round
is missing, or other programs kept more than --others cores busy during the launch, the bench repeats all sides of the
round. A new trainer needs a new file.

dlscale-train runs with its default settings. Its sides with "framework" use only LibTorch's kernels. A side of a peer
is a framework and words that tune the framework: malloc (glibc keeps freed memory, as in dlscale-train), nhwc (images
have their channels last, which dlscale-train chooses by itself), fused, view, bind and compile (see peers/peer.py),
yield (waiting ranks of Open MPI yield their core).
"""

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import platform
import random
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KEEP_FREED_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "4294967296",
                     "MALLOC_TRIM_THRESHOLD_": "17179869184", "MALLOC_TOP_PAD_": "268435456"}
LAUNCH_LIMIT_S = 900


@dataclasses.dataclass(frozen=True)
class Cell:
    model: str
    batch: int  # samples of a rank
    shape: str
    classes: int
    steps: int  # steps of a block, which takes a quarter of a second to a few seconds
    blocks: int = 6
    precision: str = "fp32"
    images: bool = False  # model of images, for which channels last may be faster


CELLS = {
    "mlp": Cell("mlp", 64, "1x28x28", 10, 60, 8),
    "cnn": Cell("cnn", 64, "1x28x28", 10, 8, images=True),
    "resnet18_cifar": Cell("resnet18", 32, "3x32x32", 10, 1, images=True),
    "resnet50": Cell("resnet50", 8, "3x224x224", 1000, 1, 4, images=True),
    "resnet50_bf16": Cell("resnet50", 8, "3x224x224", 1000, 1, 4, "bf16", images=True),
}


@dataclasses.dataclass(frozen=True)
class Contest:
    """A row of the table: a side of dlscale, a side of a peer, and the least ratio that is required."""

    ours: str
    theirs: str
    bar: str = ""


def contests(cell, framework, ranks, kernels):
    nhwc = "+nhwc" if cell.images else ""
    both = ranks > 1
    ours = f"dlscale {framework}" + ("" if kernels == "fast" else "+framework")
    bars = {"ddp": ("≥ 1.25", "≥ 1.05"), "horovod": ("≥ 1.05", "≥ 1.05")}.get(
        framework, ("≥ 1.3", "≥ 1.3")) if both else ("", "")
    # Channels last is not possible with Horovod, which accepts only contiguous tensors, or with
    # DeepSpeed, which ends with an error (self.stride(-1) must be 1).
    other = "horovod+yield" if both else f"none{nhwc}"
    bound = [f"ddp{nhwc}+malloc+fused+view+bind"] if both else []
    tuned = {"ddp": [f"ddp{nhwc}+malloc+fused+view", *bound, f"{other}+malloc+fused"],
             "horovod": ["horovod+yield+malloc+fused"]
             }.get(framework, [f"{framework}+malloc+fused"])
    rows = [Contest(ours, framework, bars[0])] + [Contest(ours, side, bars[1]) for side in tuned]
    if framework == "deepspeed:1":  # not part of DeepSpeed, so without a required ratio
        rows.append(Contest(ours, f"zero_redundancy{nhwc}+malloc+fused"))
    return rows


def run_description(cell, side, ranks, samples):
    side, _, kernels = side.partition("+")
    framework, _, stage = side.partition(":")
    rate = {"base": 0.01, "peak": 0.01, "scale": "none"}
    spec = {
        "schema_version": 1, "run_id": "bench", "framework": framework, "model": cell.model,
        "loader": "synthetic", "precision": cell.precision, "last_batch": "drop", "epochs": 1,
        "dataset": {"kind": "synthetic", "shape": cell.shape, "classes": cell.classes,
                    "train_samples": samples, "test_samples": ranks},
        "gpus": ranks, "batch_per_gpu": cell.batch, "global_batch": ranks * cell.batch, "lr": rate,
        "lr_schedule": {"kind": "constant"}, "optimizer": {"kind": "sgd", "momentum": 0.9},
        "window_steps": cell.steps, "resources": {"ranks_per_node": ranks}}
    if kernels:
        spec["cpu_kernels"] = kernels
    if stage:
        spec["framework_options"] = {"zero_stage": int(stage)}
    return spec


def busy_s():
    """Returns the CPU seconds of the whole machine since its start."""
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, softirq = (int(v) for v in f.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def children_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Failed(Exception):
    pass


def end(process):
    """Ends a launcher and its ranks. A launcher ends its ranks on SIGTERM, but not when it is killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)


def output_of(command, environment):
    """Returns the output of a program. A program that takes too long is ended together with its children."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}, start_new_session=True) as process:
        try:
            out, errors = process.communicate(timeout=LAUNCH_LIMIT_S)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"did not end in {LAUNCH_LIMIT_S} s") from error
        finally:
            end(process)
    if process.returncode != 0:
        raise Failed(reason_in(errors or out))
    return out


def reason_in(text):
    """Returns the line of a failed program's output that states the reason. Launchers write more lines after it."""
    lines = text.strip().splitlines() or ["said nothing"]
    telling = re.compile(r"(Error|Exception)\b|dlscale-train: ")
    return next((line for line in lines if telling.search(line)), lines[-1])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Launcher:
    """Starts one side of a cell and reads its measurements."""

    environment = {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def __init__(self, trainer, python):
        self.trainer = os.path.abspath(trainer)
        self.python = os.path.abspath(python)

    def launch(self, cell, side, ranks):
        busy, own, start = busy_s(), children_s(), time.perf_counter()
        ours = side.startswith("dlscale ")
        measured = (self.ours(cell, side.removeprefix("dlscale "), ranks) if ours else
                    self.peer(cell, side, ranks))
        wall_s = time.perf_counter() - start
        others_s = (busy_s() - busy) - (children_s() - own)
        return {**measured, "launch_s": round(wall_s, 2),
                "other_cores": round(max(0, others_s / wall_s), 2)}

    def ours(self, cell, side, ranks):
        samples = ranks * cell.batch * cell.steps * cell.blocks
        with tempfile.TemporaryDirectory(prefix="train-bench-") as folder:
            with open(f"{folder}/run.json", "w") as f:
                json.dump(run_description(cell, side, ranks, samples), f)
            # dlscale starts the runs of its site `local` with the same command.
            output_of(["mpirun", "--bind-to", "core", "--oversubscribe", "-np", str(ranks),
                       self.trainer, "--run", folder], self.environment)
            with open(f"{folder}/launch-1/results.jsonl") as f:
                records = [json.loads(line) for line in f]
        start = records[0]
        windows = [r for r in records if r["record"] == "step_window"]
        kept = windows[1:]
        parts = {name: round(sum(w["parts"][name]["mean"] for w in kept) /
                             sum(w["steps"] for w in kept) * 1000, 4) for name in kept[0]["parts"]}
        return {"samples_per_s": sum(w["samples"] for w in kept) / sum(w["wall_s"] for w in kept),
                "blocks_s": [w["wall_s"] for w in windows], "parameters": start["parameters"],
                "torch": start["environment"]["torch"], "parts_ms": parts}

    def peer(self, cell, side, ranks):
        framework, *words = side.split("+")
        own = [w for w in words if w not in ("malloc", "yield")]
        program = [f"{HERE}/peers/peer.py", "--framework", framework, "--model", cell.model,
                   "--batch", str(cell.batch), "--steps", str(cell.steps),
                   "--blocks", str(cell.blocks), "--precision", cell.precision,
                   "--tuning", ",".join(own)]
        if framework == "none":
            command = [self.python, *program]
        elif framework == "horovod":
            # mpirun gets --bind-to none here, because horovodrun also uses this option.
            yields = ["--mca", "mpi_yield_when_idle", "1"] if "yield" in words else []
            command = ["mpirun", "--bind-to", "none", *yields, "-np", str(ranks), self.python,
                       *program]
        else:
            # mpirun starts the ranks instead of torchrun, because torchrun itself imports PyTorch
            # before the ranks start, which takes additional time.
            command = ["mpirun", "--bind-to", "none", "-np", str(ranks), self.python, *program]
        malloc = KEEP_FREED_MEMORY if "malloc" in words else {}
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()),
                   "GLOO_SOCKET_IFNAME": "lo"}
        out = output_of(command, {**self.environment, **malloc, **meeting})
        for line in out.splitlines():
            if line.startswith('{"samples_per_s"'):
                return json.loads(line)
        raise Failed(reason_in(out))


@dataclasses.dataclass
class Raw:
    """The launches made so far. A file has a line for each launch."""

    path: str
    most_other_cores: float
    launches: list = dataclasses.field(default_factory=list)

    def read(self):
        if os.path.exists(self.path):
            with open(self.path) as f:
                self.launches = [json.loads(line) for line in f]
        return self

    def counts(self, launch):
        return "samples_per_s" in launch and launch["other_cores"] <= self.most_other_cores

    def is_made(self, key):
        last = next((launch for launch in reversed(self.launches)
                     if all(launch.get(name, 0) == value for name, value in key.items())), None)
        return last is not None and (self.counts(last) or "error" in last)

    def add(self, launch):
        self.launches.append(launch)
        with open(self.path, "a") as f:
            f.write(json.dumps(launch) + "\n")

    def of(self, cell, ranks, side):
        """Returns the launches of a side by round and attempt."""
        return {(launch["round"], launch.get("attempt", 0)): launch for launch in self.launches
                if self.counts(launch)
                and (launch["cell"], launch["ranks"], launch["side"]) == (cell, ranks, side)}

    def attempts(self, turn, cell, ranks):
        """Returns how often the round has been started."""
        return 1 + max((launch.get("attempt", 0) for launch in self.launches
                        if (launch["round"], launch["cell"], launch["ranks"])
                        == (turn, cell, ranks)), default=-1)

    def failures(self):
        """Returns the sides whose last launch failed, with the error."""
        last = {(launch["cell"], launch["ranks"], launch["side"]): launch
                for launch in self.launches}
        return [f"{cell}, {ranks} ranks, {side}: {launch['error']}"
                for (cell, ranks, side), launch in last.items() if "error" in launch]


def planned(arguments, raw):
    """Returns the launches to make, round by round, so that an unfinished bench has the same rounds of all cells."""
    keys = []
    for turn, cell, ranks in itertools.product(range(arguments.rounds), arguments.cells,
                                               arguments.ranks):
        sides = list(dict.fromkeys(side for framework in arguments.frameworks
                                   for kernels in arguments.cpu_kernels
                                   for contest in contests(CELLS[cell], framework, ranks, kernels)
                                   for side in (contest.ours, contest.theirs)))
        shift = turn % len(sides)
        group = [{"round": turn, "cell": cell, "ranks": ranks, "side": side}
                 for side in sides[shift:] + sides[:shift]]
        attempts = raw.attempts(turn, cell, ranks)
        if not all(raw.is_made({**key, "attempt": attempts - 1}) for key in group):
            keys += [{**key, "attempt": attempts} for key in group]
    return keys


def measure(arguments, raw):
    launcher = Launcher(arguments.trainer, arguments.python)
    keys = planned(arguments, raw)
    spent = []
    for number, key in enumerate(keys, 1):
        start = time.perf_counter()
        try:
            result = launcher.launch(CELLS[key["cell"]], key["side"], key["ranks"])
            said = f"{result['samples_per_s']:.1f} samples/s"
        except Failed as error:
            result = {"error": str(error)}
            said = f"failed: {error}"
        spent.append(time.perf_counter() - start)
        raw.add({**key, **result, "machine": machine(), "time": round(time.time())})
        left = statistics.mean(spent) * (len(keys) - number) / 60
        print(f"{number}/{len(keys)} {key['cell']} {key['ranks']} ranks, {key['side']}: {said} "
              f"({spent[-1]:.0f} s, others {result.get('other_cores', 0):.2f} cores; "
              f"{left:.0f} min left)", file=sys.stderr, flush=True)


def interval(ratios, resamples=10000):
    """Returns the 95 % interval of the median, from the percentiles of a bootstrap."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios)))
                     for _ in range(resamples))
    return medians[int(0.025 * resamples)], medians[int(0.975 * resamples) - 1]


def row(raw, cell, ranks, contest):
    ours, theirs = raw.of(cell, ranks, contest.ours), raw.of(cell, ranks, contest.theirs)
    # If a round was repeated, the launches of the last attempt of the round count.
    rounds = list({turn: (turn, attempt)
                   for turn, attempt in sorted(ours.keys() & theirs.keys())}.values())
    if not rounds:
        return None
    sizes = {launch["parameters"] for launch in [*ours.values(), *theirs.values()]}
    if len(sizes) > 1:
        sys.exit(f"train_bench: {cell}: the models differ, they have {sizes} parameters")
    versions = {launch["torch"] for launch in [*ours.values(), *theirs.values()]}
    if len(versions) > 1:
        sys.exit(f"train_bench: {cell}: the sides have PyTorch {' and '.join(sorted(versions))}")
    ratios = [ours[r]["samples_per_s"] / theirs[r]["samples_per_s"] for r in rounds]
    low, high = interval(ratios)
    speed = [statistics.median(side[r]["samples_per_s"] for r in rounds) for side in (ours, theirs)]
    digits = 0 if min(speed) > 200 else 1
    return [cell, str(ranks), contest.ours, contest.theirs, f"{speed[0]:,.{digits}f}",
            f"{speed[1]:,.{digits}f}", f"{statistics.median(ratios):.2f}", f"{low:.2f}–{high:.2f}",
            str(len(rounds)), contest.bar]


def table(arguments, raw):
    head = ["cell", "ranks", "dlscale", "peer", "samples/s", "peer's", "ratio", "95 %", "pairs",
            "bar"]
    text = "| " + " | ".join(head) + " |\n|---|--:|---|---|--:|--:|--:|--:|--:|---|\n"
    for cell in arguments.cells:
        for framework in arguments.frameworks:
            for ranks in arguments.ranks:
                for kernels in arguments.cpu_kernels:
                    for contest in contests(CELLS[cell], framework, ranks, kernels):
                        cells = row(raw, cell, ranks, contest)
                        text += "| " + " | ".join(cells) + " |\n" if cells else ""
    good = [launch for launch in raw.launches if raw.counts(launch)]
    others = [launch["other_cores"] for launch in good] or [0]
    names = lambda key: ", ".join(sorted({launch[key] for launch in good}))
    text += (f"\n{names('machine')}; torch {names('torch')}; {len(good)} launches; other programs "
             f"kept a median of {statistics.median(others):.2f} cores busy meanwhile, at most "
             f"{max(others):.2f}.\n")
    return text + "".join(f"\nFailed: {failure}\n" for failure in raw.failures())


def machine():
    with open("/proc/cpuinfo") as f:
        name = next((line.split(":")[1].strip() for line in f if line.startswith("model name")),
                    "unknown CPU")
    return f"{os.cpu_count()} cores of {name}, Linux {platform.release()}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("--trainer", default="build/release/bin/dlscale-train")
    parser.add_argument("--python", help="Python interpreter of the environment that peers/setup created")
    parser.add_argument("--cells", type=words, default=list(CELLS), help=", ".join(CELLS))
    parser.add_argument("--frameworks", type=words,
                        default=["ddp", "horovod", "deepspeed:1", "deepspeed:2"])
    parser.add_argument("--cpu-kernels", type=words, default=["fast"],
                        help="kernels for which the table has rows: fast, framework")
    parser.add_argument("--ranks", type=lambda text: [int(n) for n in words(text)], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--raw", required=True, help="file with a line of JSON for each launch")
    parser.add_argument("--others", type=float, default=0.25, metavar="CORES",
                        help="do not count launches in which other programs keep more cores than this busy")
    parser.add_argument("--table", action="store_true", help="only print the table")
    parser.add_argument("--markdown", help="also write the table to this file")
    arguments = parser.parse_args()
    unknown = set(arguments.cells) - set(CELLS)
    if unknown:
        parser.error(f"no cell is named {', '.join(sorted(unknown))}; there are {', '.join(CELLS)}")
    if not arguments.table and not arguments.python:
        parser.error("--python is needed: of the environment that bench/peers/setup made")
    return arguments


def main():
    arguments = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the current launch first
    raw = Raw(arguments.raw, arguments.others).read()
    if not arguments.table:
        measure(arguments, raw)
    text = table(arguments, raw)
    print(text, end="")
    if arguments.markdown:
        with open(arguments.markdown, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
