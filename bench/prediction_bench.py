#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the errors of predictions on this machine, on data that no fit has used.

  bench/prediction_bench.py --raw DIR [--parts steps,memory,walltimes,kernels] [--rounds 3]
  bench/prediction_bench.py --raw DIR --table                          (nothing is measured)

steps      The step times of two ranks are predicted from runs of one rank and a benchmark of all-reduces.
           `dlscale analyze --metric prediction-errors` computes the errors. One rank is measured alone, and two runs of
           one rank are measured side by side, which keeps the cores as busy as two ranks do. A round has each run once.
           The step times of one rank are also predicted for batches that the fit has not used, one of them larger.
memory     The largest resident memory of a rank is predicted by `dlscale calibrate` from runs of one rank with 8 and
           with 32 images, and by `dlscale predict`. The errors are those of runs that no fit has used: 16 images
           (between the two) and 64 images (twice as many) on one rank, and all four batches on two ranks.
walltimes  The runs take some seconds, and the time of a job includes start-up. The first runs set the margin, as
           `dlscale plan` does when a study is planned again. The other runs test the margin. The test is repeated with
           random noise on the steps of all runs.
kernels    The errors of `dlscale-bench kernels` and `dlscale-bench fit` are compared with the published errors.

DIR keeps plan folders and rounds.jsonl, so that the same command continues after an interruption. Rounds of steps and
all-reduces do not count if other programs kept more than --others cores busy. Two ranks need two cores. With more ranks
than cores, the bench would measure how long ranks wait for each other.
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

from train_bench import busy_s, children_s, machine

PARTS = ["steps", "memory", "walltimes", "kernels"]
SHAPE = {"shape": "3x32x32", "classes": 10}
# For each model: the number of samples of a run that takes some seconds, and the number of
# optimizer steps in a record.
STEPS = {"mlp": (4096, 16), "cnn": (512, 2), "squeezenet1_0": (256, 1), "resnet18": (128, 1)}
MEMORY_MODELS = ["mlp", "cnn", "squeezenet1_0", "resnet18"]
MEMORY_BATCHES = [8, 32]  # batches that the fit uses, on one rank
HELD_OUT_BATCHES = [16, 64]
MIB = 2.0**20
STEP_TARGET = {"median": 0.03, "worst": 0.08}
BATCH_BETWEEN, BATCH_BEYOND = {"median": 0.05}, {"median": 0.10}
MEMORY_TARGET = 0.03
LATE_TARGET, ASKED_TARGET = 0.02, 1.25
QUANTILE = 0.98  # default quantile of walltimes in a study
NOISES = (0.02, 0.05)  # random noise of steps
DRAWS = 1000  # number of random choices of the runs that set the margin
NEIGHBOURS = 8  # number of neighbouring sizes, for kernels whose size is one number
CLASSES = {"convolution": ("convolution_",), "fully connected": ("linear_",),
           "batch norm": ("batch_norm_",), "pooling, ReLU, softmax": ("max_pool_", "avg_pool_",
                                                                      "relu_", "softmax_"),
           "SGD": ("sgd_", "momentum_"), "copy": ("copy",)}


def study_text(name, axes, repeats, samples, more=""):
    lines = "\n".join(f"{key} = {json.dumps(values)}" for key, values in axes.items())
    return f"""[study]
name = "{name}"
scaling = "weak"
baseline = "per-curve"
repeats = {repeats}
[matrix]
lr_schedule = ["constant"]
loader = ["synthetic"]
{lines}
[training]
dataset = {{ kind = "synthetic", shape = "{SHAPE["shape"]}", classes = {SHAPE["classes"]}, \
train_samples = {samples}, test_samples = 64 }}
epochs = 1
window_steps = 2
lr = {{ base = 0.001 }}
optimizer = {{ kind = "sgd", momentum = 0.9 }}
{more}"""


def of_model(model, samples, window):
    return f"""[[override]]
when = 'model == "{model}"'
dataset.train_samples = {samples}
window_steps = {window}
"""


def peak_bytes(run):
    """Returns the largest resident memory of a rank in the last launch of a run, in bytes."""
    records = records_of(run)
    return max(r["peak_memory_bytes"] for r in records if r["record"] == "step_window")


def step_s(run):
    windows = [r for r in records_of(run) if r["record"] == "step_window" and not r["warmup"]]
    return sum(w["wall_s"] for w in windows) / sum(w["steps"] for w in windows)


def records_of(run):
    launch = max(run.glob("launch-*"), key=lambda path: int(path.name.split("-")[1]))
    with open(launch / "results.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Bench:
    """A folder of plans and rounds, and the programs that measure."""

    def __init__(self, arguments):
        self.folder = pathlib.Path(arguments.raw)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.arguments = arguments
        trainer = os.path.abspath(arguments.trainer)
        self.programs = {"dlscale": os.path.abspath(arguments.dlscale), "dlscale-train": trainer,
                         "dlscale-bench": os.path.join(os.path.dirname(trainer), "dlscale-bench")}
        path = os.path.dirname(trainer) + os.pathsep + os.environ["PATH"]
        self.environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def call(self, *words):
        """Runs a program that must succeed, and returns its standard output."""
        command = [self.programs.get(word, word) for word in map(str, words)]
        ran = subprocess.run(command, cwd=self.folder, env=self.environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if ran.returncode != 0:
            lines = (ran.stderr or ran.stdout).strip().splitlines() or ["said nothing"]
            sys.exit(f"prediction_bench: {' '.join(map(str, words))}: {lines[-1]}")
        return ran.stdout

    def table(self, name, *words):
        """Returns the rows of a table that a dlscale verb prints, as dictionaries."""
        found = json.loads(self.call("dlscale", *words, "--format", "json"))["tables"]
        return next(table["rows"] for table in found if table["id"] == name)

    def rounds(self):
        if not (self.folder / "rounds.jsonl").exists():
            return []
        with open(self.folder / "rounds.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def is_made(self, part, number=1):
        return any((r["part"], r["round"]) == (part, number) for r in self.rounds())

    def made(self, part):
        return [r for r in self.rounds() if r["part"] == part]

    def good_rounds(self, part):
        most = self.arguments.others
        return [r["round"] for r in self.made(part) if r["other_cores"] <= most]

    def measure(self, part, number, work):
        """Does the work of a round unless the folder already contains the round."""
        if self.is_made(part, number):
            return
        busy, own, start = busy_s(), children_s(), time.perf_counter()
        work()
        wall_s = time.perf_counter() - start
        others_s = (busy_s() - busy) - (children_s() - own)
        line = {"part": part, "round": number, "wall_s": round(wall_s, 1),
                "other_cores": round(max(0, others_s / wall_s), 2), "machine": machine(),
                "time": round(time.time())}
        with open(self.folder / "rounds.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{part}, round {number}: {wall_s:.0f} s, others {line['other_cores']:.2f} cores",
              file=sys.stderr, flush=True)

    def plan(self, name, text):
        (self.folder / f"{name}.toml").write_text(text, encoding="utf-8")
        return self.call("dlscale", "plan", f"{name}.toml", "-o", name)

    def planned(self, name):
        return json.loads((self.folder / name / "plan.json").read_text(encoding="utf-8"))

    def submit(self, name, where, jobs):
        self.call("dlscale", "submit", name, "--wait", "-j", jobs, "--where", where)


def row(what, found, target, met):
    print(f"| {what} | {found} | {target} | {'yes' if met else '**no**'} |")


def listed(numbers):
    return " and ".join(map(str, numbers))


def errors_text(errors):
    return (f"median {100 * statistics.median(map(abs, errors)):.1f} %, "
            f"worst {100 * max(errors, key=abs):+.1f} %, {len(errors)} points")


def measure_all_reduces(bench):
    """Measures all-reduces between two ranks unless a valid round exists."""
    def all_reduces():
        (bench.folder / "comm.jsonl").unlink(missing_ok=True)
        bench.call("mpirun", "--bind-to", "none", "-np", 2, "dlscale-bench", "comm",
                   "--rotate", "64MiB", "--seconds", bench.arguments.comm_seconds, "-o",
                   "comm.jsonl")

    if not bench.good_rounds("all-reduces"):
        bench.measure("all-reduces", len(bench.made("all-reduces")) + 1, all_reduces)


# Measures the prediction errors of step times on two ranks.

def measure_steps(bench):
    arguments = bench.arguments
    batches = sorted({*arguments.batches, *arguments.other_batches})
    axes = {"framework": arguments.frameworks, "model": arguments.models, "batch_per_gpu": batches,
            "gpus": [1, 2]}
    sizes = "".join(of_model(model, *STEPS[model]) for model in arguments.models)
    first = arguments.frameworks[0]
    alone = (f"[[exclude]]\nwhen = 'gpus == 1 && framework != \"{first}\"'\n"
             "why = \"one rank exchanges nothing\"\n" if len(arguments.frameworks) > 1 else "")
    alone += (f"[[exclude]]\nwhen = 'gpus == 2 && batch_per_gpu in {arguments.other_batches}'\n"
              "why = \"these are held out of one rank's\"\n" if arguments.other_batches else "")
    bench.plan("steps", study_text("steps", axes, arguments.rounds, 1024, sizes + alone))
    beside = {**axes, "framework": [first], "batch_per_gpu": arguments.batches, "gpus": [1]}
    bench.plan("busy", study_text("busy", beside, 2 * arguments.rounds, 1024, sizes))
    measure_all_reduces(bench)
    for number in range(1, arguments.rounds + 1):
        def one_round(number=number):
            bench.submit("steps", f"repetition == {number}", 1)
            bench.submit("busy", f"repetition in [{2 * number - 1}, {2 * number}]", 2)
        bench.measure("steps", number, one_round)


def predict_steps(bench, source, known):
    """Replaces the kept predictions of all steps with those of a calibration of `source`."""
    calibration = f"{source}-measured.json"
    bench.call("dlscale", "calibrate", "comm.jsonl", source, "--where", known, "-o", calibration)
    (bench.folder / "steps" / "predictions.jsonl").unlink(missing_ok=True)
    bench.call("dlscale", "predict", "steps.toml", "--calibration", calibration, "--keep", "steps",
               "--up-to", 2)


def step_row(bench, what, where, targets):
    """Prints a row with the errors of the predicted steps of the runs that `where` selects. Returns the points."""
    chosen = ["analyze", "steps", "--where", where, "--metric"]
    errors = bench.table("prediction-errors", *chosen, "prediction-errors")
    summary = next(found for found in errors if found["quantity"] == "step time")
    found = {"median": summary["median_error"], "worst": summary["worst_error"]}
    row(what, f"median {100 * found['median']:.1f} %, worst {100 * found['worst']:+.1f} %, "
        f"{summary['n']} points, {100 * summary['inside']:.0f} % within the band",
        ", ".join(f"{name} ≤ {100 * most:.0f} %" for name, most in targets.items()),
        all(abs(found[name]) <= most for name, most in targets.items()))
    return bench.table("predictions", *chosen, "predictions")


def step_rows(bench):
    """Prints the rows of the table about steps. Returns a table of the points."""
    rounds = bench.good_rounds("steps")
    if not rounds:
        return (f"Of {len(bench.made('steps'))} rounds of steps none counts: other programs kept "
                f"more than {bench.arguments.others} cores busy. More --rounds go on in this "
                "folder.\n" if bench.made("steps") else "")
    for plan in ("steps", "busy"):
        bench.call("dlscale", "collect", plan, "--no-tables")
    asked = f"repetition in {rounds}"
    pairs = f"repetition in {[n for r in rounds for n in (2 * r - 1, 2 * r)]}"
    points = []
    shown = f"batch_per_gpu in {bench.arguments.batches}"
    for what, source, known in (("of one rank alone", "steps", f"gpus == 1 && {shown} && {asked}"),
                                ("of one rank, two side by side", "busy", pairs)):
        predict_steps(bench, source, known)
        points.append(step_row(bench, f"step of 2 ranks, from runs {what} and all-reduces",
                               f"gpus == 2 && {asked}", STEP_TARGET))
        if source == "steps":
            other_batch_rows(bench, asked)
    return points_table(bench, rounds, points)


def other_batch_rows(bench, asked):
    """Prints the rows for one rank with batches between and beyond those that the fit uses."""
    shown = bench.arguments.batches
    for batch in bench.arguments.other_batches:
        between = min(shown) <= batch <= max(shown)
        step_row(bench, f"step of 1 rank with {batch} images, from its runs with {listed(shown)}",
                 f"gpus == 1 && batch_per_gpu == {batch} && {asked}",
                 BATCH_BETWEEN if between else BATCH_BEYOND)


def in_ms(seconds):
    return f"{1e3 * seconds:,.0f}" if seconds >= 0.1 else f"{1e3 * seconds:.3g}"


def points_table(bench, rounds, points):
    axes = [axis for axis in ("framework", "model", "batch_per_gpu") if axis in points[0][0]]
    runs = [run for run in bench.planned("steps")["runs"]
            if run["gpus"] == 2 and run["repetition"] in rounds]
    text = ("| " + " | ".join(axes) + " | measured, ms | least–most | from one rank alone, ms | off "
            "| two side by side, ms | off |\n|" + "---|" * len(axes) + "--:|" * 6 + "\n")
    for alone, busy in zip(*points):
        own = [step_s(bench.folder / "steps" / "runs" / run["run_id"]) for run in runs
               if all(run["point"][axis] == str(alone[axis]) for axis in axes)]
        cells = [str(alone[axis]) for axis in axes]
        cells += [in_ms(alone["step_measured_s"]), f"{in_ms(min(own))}–{in_ms(max(own))}"]
        for point in (alone, busy):
            cells += [in_ms(point["step_predicted_s"]), f"{100 * point['step_error']:+.1f} %"]
        text += "| " + " | ".join(cells) + " |\n"
    return text


# Measures the prediction errors of the memory of processes.

def measure_memory(bench):
    arguments = bench.arguments
    measure_all_reduces(bench)  # predictions for two ranks need them
    batches = sorted({*arguments.memory_batches, *arguments.held_out_batches})
    axes = {"framework": ["ddp"], "model": arguments.memory_models, "batch_per_gpu": batches,
            "gpus": [1, 2]}
    bench.plan("memory", study_text("memory", axes, 2, 4 * max(batches)))
    bench.measure("memory", 1, lambda: bench.submit("memory", "gpus > 0", 2))


def predicted_peaks(bench):
    """Returns the rows of predicted memory by ranks, model and batch."""
    shown = f"gpus == 1 && batch_per_gpu in {bench.arguments.memory_batches}"
    bench.call("dlscale", "collect", "memory", "--no-tables")
    bench.call("dlscale", "calibrate", "comm.jsonl", "memory", "--where", shown, "-o",
               "memory-measured.json")
    rows = bench.table("predicted-memory", "predict", "memory.toml", "--calibration",
                       "memory-measured.json", "--what-if", "capacity=100000GiB", "--up-to", 2)
    return {(r["gpus"], r.get("model", ""), int(r["batch_per_gpu"])): r for r in rows}


def measured_peaks(bench):
    """Returns the measured bytes of the repeats of each point."""
    peaks = {}
    for run in bench.planned("memory")["runs"]:
        point = (run["gpus"], run["point"].get("model", ""), run["batch_per_gpu"])
        peak = peak_bytes(bench.folder / "memory" / "runs" / run["run_id"])
        peaks.setdefault(point, []).append(peak)
    return peaks


def memory_rows(bench):
    if not bench.is_made("memory"):
        return ""
    rows, peaks = predicted_peaks(bench), measured_peaks(bench)
    errors, inside = {1: [], 2: []}, {1: 0, 2: 0}
    text = ("| ranks | model | batch | predicted, MiB | low–high | measured twice, MiB | "
            "off their mean |\n|--:|---|--:|--:|--:|--:|--:|\n")
    for point in sorted(rows):
        (gpus, model, batch), said = point, rows[point]
        mean = statistics.mean(peaks[point])
        error = said["memory_bytes"] / mean - 1
        band = said["memory_bounds_bytes_low"], said["memory_bounds_bytes_high"]
        shown = gpus == 1 and batch in bench.arguments.memory_batches
        if not shown:
            errors[gpus].append(error)
            inside[gpus] += band[0] <= mean <= band[1]
        text += (f"| {gpus} | {model} | {batch} | {said['memory_bytes'] / MIB:.0f} | "
                 f"{band[0] / MIB:.0f}–{band[1] / MIB:.0f} | {min(peaks[point]) / MIB:.0f}–"
                 f"{max(peaks[point]) / MIB:.0f} | {100 * error:+.1f} %"
                 f"{' (shown)' if shown else ''} |\n")
    batches = listed(bench.arguments.memory_batches)
    for gpus, held_out in ((1, "other batches"), (2, "all batches")):
        row(f"largest resident memory, {gpus} rank{'s' if gpus > 1 else ''}, {held_out}, from runs "
            f"of one rank with {batches} images",
            f"{errors_text(errors[gpus])}, {100 * inside[gpus] / len(errors[gpus]):.0f} % within "
            "the band", "median ≤ 3 %",
            statistics.median(map(abs, errors[gpus])) <= MEMORY_TARGET)
    return text


# Predicts the walltimes of runs that take some seconds and compares them with the measured
# walltimes.

def walltime_study(repeats, calibration):
    resources = f'[resources]\nwalltime = "auto"\ncalibration = "{calibration}"\n'
    axes = {"framework": ["ddp"], "model": ["mlp"], "batch_per_gpu": [32, 48, 64, 96], "gpus": [1]}
    return study_text("walltimes", axes, repeats, 8192, resources), len(axes["batch_per_gpu"])


def measure_walltimes(bench):
    """Measures a probe of each point for the predictions, then the runs that set the margin, then the others."""
    probe, points = walltime_study(1, "")
    repeats = math.ceil(bench.arguments.runs / points)
    taught = math.ceil(bench.arguments.taught / points)
    bench.plan("probe", probe[:probe.index("[resources]")])
    bench.measure("walltime probe", 1, lambda: bench.submit("probe", "gpus > 0", 2))
    if not (bench.folder / "walltime-measured.json").exists():
        bench.call("dlscale", "collect", "probe", "--no-tables")
        bench.call("dlscale", "calibrate", "probe", "-o", "walltime-measured.json")
    text = walltime_study(repeats, "walltime-measured.json")[0]
    if not bench.is_made("walltimes that teach"):
        bench.plan("walltimes", text)
    bench.measure("walltimes that teach", 1,
                  lambda: bench.submit("walltimes", f"repetition <= {taught}", 2))
    if not bench.is_made("walltimes"):
        bench.plan("walltimes", text)
    bench.measure("walltimes", 1, lambda: bench.submit("walltimes", f"repetition > {taught}", 2))


def elapsed_s(bench, plan):
    """Returns the elapsed seconds of the jobs of a plan, by run."""
    with open(bench.folder / plan / "launch.jsonl", encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    return {e["run_id"]: e["elapsed_s"] for e in events if e["event"] == "ended"}


def walltime_rows(bench):
    if not bench.is_made("walltimes"):
        return ""
    plan, used = bench.planned("walltimes"), elapsed_s(bench, "walltimes")
    points = len({run["batch_per_gpu"] for run in plan["runs"]})
    taught = math.ceil(bench.arguments.taught / points)
    asked = {job["name"]: job["resources"]["walltime_s"] for job in plan["jobs"]}
    teaching = [run for run in plan["runs"] if run["repetition"] <= taught]
    judged = [run for run in plan["runs"] if run["repetition"] > taught]
    factor = next_ratio_bound([used[run["run_id"]] / run["predicted_s"] for run in teaching])
    runs = f"walltime of {len(judged)} runs of {statistics.median(used.values()):.1f} s: "
    walltime_row(f"{runs}predictions times {factor:.2f}, learnt from {len(teaching)} runs before",
                 [factor * run["predicted_s"] / used[run["run_id"]] for run in judged])
    walltime_row(f"{runs}the same as a batch system is asked, with 120 s and up to whole minutes",
                 [asked[run["job"]] / used[run["run_id"]] for run in judged])
    drawn = [drawn_rule([used[run["run_id"]] / run["predicted_s"] for run in plan["runs"]],
                        len(teaching), random.Random(seed)) for seed in range(DRAWS)]
    walltime_row(f"{runs}the rule without the machine's drift: learnt from {len(teaching)} drawn of "
                 f"all, {DRAWS} draws", [ratio for ratios in drawn for ratio in ratios])
    for noise in NOISES:
        draw = random.Random(1)
        needed_s = {run["run_id"]: used[run["run_id"]] +
                    run["predicted_s"] * (draw.lognormvariate(0, noise) - 1)
                    for run in plan["runs"]}
        learnt = next_ratio_bound([needed_s[run["run_id"]] / run["predicted_s"]
                                   for run in teaching])
        walltime_row(f"{runs}with noise of {100 * noise:.0f} % drawn for each run's training, "
                     f"predictions times {learnt:.2f}",
                     [learnt * run["predicted_s"] / needed_s[run["run_id"]] for run in judged])
    share = statistics.median(run["predicted_s"] / used[run["run_id"]] for run in judged)
    return f"Of the time of these jobs {100 * share:.0f} % is training, the rest start-up.\n"


def drawn_rule(ratios, taught, draw):
    """Returns requested / used time of the runs that are not drawn to set the margin. `ratios` are used / predicted."""
    shuffled = draw.sample(ratios, len(ratios))
    learnt = next_ratio_bound(shuffled[:taught])
    return [learnt / ratio for ratio in shuffled[taught:]]


def next_ratio_bound(ratios):
    """Returns the same bound as predict/walltime: a quantile of the ratios, or the largest if there are too few."""
    rank = math.ceil((len(ratios) + 1) * QUANTILE - 1e-9)
    return sorted(ratios)[min(rank, len(ratios)) - 1]


def walltime_row(what, ratios):
    """Prints a row about ratios of requested to used time."""
    late, median = sum(ratio < 1 for ratio in ratios) / len(ratios), statistics.median(ratios)
    row(what, f"{100 * late:.1f} % timed out, median asked / used {median:.2f}", "≤ 2 %, ≤ 1.25",
        late <= LATE_TARGET and median <= ASKED_TARGET)


# Kernels.

def measure_kernels(bench):
    arguments = bench.arguments
    bench.measure("kernels", 1, lambda: bench.call(
        "dlscale-bench", "kernels", "-o", "kernels.jsonl", "--samples", arguments.samples,
        "--seconds", arguments.kernel_seconds, "--budget", arguments.budget, "--gflop",
        arguments.gflop, "--memory", arguments.memory))
    bench.measure("kernels learnt", 1, lambda: (bench.folder / "kernels.txt").write_text(bench.call(
        "dlscale-bench", "fit", "kernels.jsonl", "-o", "kernels.json")))


def kernel_rows(bench):
    """Prints the rows of dlscale-bench fit by the paper's classes of kernels. Returns a table of the kernels."""
    if not bench.is_made("kernels learnt"):
        return ""
    kernels = []
    for line in (bench.folder / "kernels.txt").read_text().splitlines():
        cells = line.split()
        if len(cells) == 7 and cells[2].isdigit():
            kernels.append((cells[0], int(cells[3]), float(cells[4]), float(cells[5]), cells[6]))
    samples = kernel_samples(bench)
    for name, beginnings in CLASSES.items():
        own = [each for each in kernels if each[0].startswith(beginnings) and each[4] != "-"]
        if not own:
            continue
        error, published = statistics.mean(kernel[2] for kernel in own), float(own[0][4])
        row(f"kernels, {name}: RE of sizes held out",
            f"mean of {len(own)} kernels {error:.1f} %", f"≤ {published:.0f} %", error <= published)
    text = (f"Kernels of at most {bench.arguments.gflop:g} GFLOP and {bench.arguments.memory}.\n\n"
            "| kernel | sizes taught | RE, % | WRE, % | published RE, % | calls of one size apart, % "
            f"| a line through {NEIGHBOURS} neighbours in size off, % |\n"
            "|---|--:|--:|--:|--:|--:|--:|\n")
    for kernel, taught, error, weighted, published in kernels:
        own = samples[kernel]
        apart = statistics.median(each["deviation_s"] / each["mean_s"] for each in own)
        text += (f"| {kernel} | {taught} | {error} | {weighted} | {published} | {100 * apart:.0f} | "
                 f"{neighbours_off(own)} |\n")
    return text


def kernel_samples(bench):
    samples = {}
    with open(bench.folder / "kernels.jsonl", encoding="utf-8") as file:
        for line in map(json.loads, file):
            samples.setdefault(line["kernel"], []).append(line)
    return samples


def neighbours_off(samples):
    """Returns the mean error in percent of a straight line in logarithms through the neighbouring sizes of each size.

    For kernels whose size is one number, no model can know more than such a line. For other kernels it returns "-".
    """
    if any(len(each["size"]) != 1 for each in samples):
        return "-"
    points = sorted((math.log(*each["size"].values()), math.log(each["seconds"]))
                    for each in samples)
    half, errors = NEIGHBOURS // 2, []
    for i in range(half, len(points) - half):
        near = points[i - half:i] + points[i + 1:i + 1 + half]
        slope, start = statistics.linear_regression(*zip(*near))
        errors.append(abs(math.exp(slope * points[i][0] + start - points[i][1]) - 1))
    return f"{100 * statistics.mean(errors):.1f}"


MEASURES = {"steps": measure_steps, "memory": measure_memory, "walltimes": measure_walltimes,
            "kernels": measure_kernels}
ROWS = {"steps": step_rows, "memory": memory_rows, "walltimes": walltime_rows,
        "kernels": kernel_rows}


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    counts = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("--dlscale", default="build/release/bin/dlscale")
    parser.add_argument("--trainer", default="build/release/bin/dlscale-train")
    parser.add_argument("--raw", required=True, metavar="DIR", help="folder for plans, rounds and calibrations")
    parser.add_argument("--parts", type=words, default=PARTS, help="parts to measure: " + ", ".join(PARTS))
    parser.add_argument("--frameworks", type=words, default=["synchronous", "ddp"])
    parser.add_argument("--models", type=words, default=["mlp", "cnn", "resnet18"],
                        help="models of the part steps: " + ", ".join(STEPS))
    parser.add_argument("--batches", type=counts, default=[4, 16])
    parser.add_argument("--other-batches", type=counts, default=[8, 32],
                        help="batches of one rank that no fit of steps uses")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds of steps")
    parser.add_argument("--comm-seconds", type=float, default=0.5,
                        help="measuring time of the all-reduces of each size")
    parser.add_argument("--memory-models", type=words, default=MEMORY_MODELS)
    parser.add_argument("--memory-batches", type=counts, default=MEMORY_BATCHES,
                        help="batches on one rank that the calibration uses")
    parser.add_argument("--held-out-batches", type=counts, default=HELD_OUT_BATCHES,
                        help="batches that test the calibration")
    parser.add_argument("--runs", type=int, default=256, help="number of runs of the part walltimes")
    parser.add_argument("--taught", type=int, default=52, help="number of these runs that set the margin")
    parser.add_argument("--samples", type=int, default=500, help="number of sizes of each kernel")
    parser.add_argument("--kernel-seconds", type=float, default=0.02, help="measuring time of each size")
    parser.add_argument("--budget", type=int, default=330, help="seconds for the measurement of all kernels")
    parser.add_argument("--gflop", type=float, default=2, help="largest GFLOP of a kernel")
    parser.add_argument("--memory", default="100MB", help="largest memory of a kernel")
    parser.add_argument("--others", type=float, default=0.1, metavar="CORES",
                        help="do not count rounds in which other programs keep more cores than this busy")
    parser.add_argument("--table", action="store_true", help="only print the table")
    arguments = parser.parse_args()
    for given, known in ((arguments.parts, PARTS), (arguments.models, STEPS)):
        if unknown := set(given) - set(known):
            parser.error(f"there is no {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    return arguments


def main():
    arguments = parse()
    bench = Bench(arguments)
    if not arguments.table:
        for part in arguments.parts:
            MEASURES[part](bench)
    print("| what, on what | found | target | met |\n|---|---|---|---|")
    details = [ROWS[part](bench) for part in arguments.parts]
    print("".join(f"\n{text}" for text in details if text))
    made = bench.rounds()
    if made:
        print(f"{made[-1]['machine']}; other programs kept at most "
              f"{max(r['other_cores'] for r in made):.2f} cores busy; measured in "
              f"{sum(r['wall_s'] for r in made) / 60:.0f} minutes.")


if __name__ == "__main__":
    main()
