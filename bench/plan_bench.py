#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time of `dlscale plan` with that of a Python + Jinja2 loop that writes the same number of files.

The study is a product of four axes. For every point, both sides write a folder with a run.json and a job script. They
also write one list of all runs. All files are in memory (/dev/shm). The loop is plain and well written: it compiles the
template once, writes run.json compactly with the C encoder of Python's json, and computes ids as a SHA-256 of the
description, as dlscale does. The script template of the loop is the first script that dlscale wrote, in which
{{ names }} replace the values that differ between scripts.

Repetitions are interleaved, so that a change of the machine's load affects both sides. The table shows medians and
ranges. Peak memory is the largest value of all repetitions.
"""

import argparse
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import jinja2
except ImportError:
    sys.exit("plan_bench: needs Jinja2 for Python (Debian: apt install python3-jinja2)")

AXES = {
    "model": ["resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "vgg11", "vgg16",
              "alexnet", "densenet121", "squeezenet1_0"],
    "gpus": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    "batch_per_gpu": [8, 16, 24, 32, 48, 64, 96, 128, 160, 192],  # all values fit into 40 GB
    "epochs": [10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
}
MORE_EPOCHS = 10  # factor for the number of values of the last axis: 100,000 points
SITE = "juwels-booster"


def study_text(axes, launch="", extra=""):
    lines = [f"{name} = {json.dumps(values)}" for name, values in axes.items()]
    return "\n".join([
        "[study]", 'name = "bench"', "[matrix]", *lines, "[training]",
        'dataset = { kind = "image_folder", path = "$DATA/imagenet" }', "warmup_epochs = 5",
        'lr = { base_per_gpu = 0.025, scale = "linear" }', "[resources]",
        'walltime = "02:00:00"', launch, extra, ""])


# The loop is a separate program, so that the measured time includes the start of Python, just as
# the measured time of dlscale includes the start of dlscale.
LOOP = r'''
import hashlib, itertools, json, os, sys
import jinja2

setup = json.load(open(sys.argv[1]))
root = sys.argv[2]
template = jinja2.Environment(keep_trailing_newline=True).from_string(setup["template"])
spec = setup["spec"]
os.makedirs(root + "/runs"); os.makedirs(root + "/jobs"); os.makedirs(root + "/logs")
runs = []
for model, gpus, batch, epochs in itertools.product(*setup["axes"].values()):
    spec.update(model=model, gpus=gpus, batch_per_gpu=batch, global_batch=batch * gpus,
                epochs=epochs)
    spec["lr"].update(peak=0.025 * gpus)
    spec["point"].update(model=model, gpus=str(gpus), batch_per_gpu=str(batch), epochs=str(epochs))
    nodes = max(1, gpus // 4)
    spec["resources"].update(nodes=nodes, ranks_per_node=min(gpus, 4))
    spec["run_id"] = ""
    digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:10]
    run_id = f"ddp-{model}-{spec['lr_schedule']['kind']}-g{gpus}-b{batch}-{digest}-r1"
    spec["run_id"] = run_id
    folder = f"{root}/runs/{run_id}"
    os.mkdir(folder)
    with open(folder + "/run.json", "w") as f:
        f.write(json.dumps(spec))
    script = f"{root}/jobs/{run_id}.sh"
    with open(os.open(script, os.O_WRONLY | os.O_CREAT, 0o777), "w") as f:
        f.write(template.render(root=root, run_id=run_id, model=model, gpus=gpus, nodes=nodes,
                                ranks=min(gpus, 4), global_batch=batch * gpus))
    runs.append({"run_id": run_id, "job": run_id, "gpus": gpus, "batch_per_gpu": batch,
                 "global_batch": batch * gpus, "lr_peak": 0.025 * gpus, "point": spec["point"].copy()})
with open(root + "/plan.json", "w") as f:
    json.dump({"study": "bench", "runs": runs}, f)
'''


class Bench:
    def __init__(self, arguments):
        self.dlscale = os.path.abspath(arguments.dlscale)
        self.repetitions = arguments.repetitions
        self.work = tempfile.mkdtemp(prefix="dlscale-plan-bench-", dir="/dev/shm")
        self.rows = []

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def timed(self, command):
        """Runs a program that must succeed, and returns its seconds and its peak memory in MB."""
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=self.work)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"plan_bench: {' '.join(command)} failed")
        return seconds, usage.ru_maxrss / 1024

    def plan(self, study, out):
        return self.timed([self.dlscale, "plan", study, "--site", SITE, "-o", out])

    def fresh(self, name):
        # This calls rm instead of shutil.rmtree to keep the memory of this process small. The peak
        # memory of a measured program includes the memory of the process that starts it.
        subprocess.run(["rm", "-rf", self.path(name)], check=True)
        return self.path(name)

    def report(self, what, samples, limit=None, base=None):
        seconds = [s for s, _ in samples]
        median = statistics.median(seconds)
        row = [what, f"{median:.3f}", f"{min(seconds):.3f}–{max(seconds):.3f}",
               f"{max(m for _, m in samples):.0f}",
               f"{median / base:.2f}" if base else "", limit or ""]
        self.rows.append(row)
        print("  ".join(row), file=sys.stderr)
        return median


def count_files(root):
    return int(subprocess.check_output(f"find '{root}' -type f | wc -l", shell=True))


def loop_setup(bench, plan, axes):
    """Writes the loop's template and description, from the files that dlscale wrote for one point. Returns the path."""
    name = next(n for n in os.listdir(plan + "/runs") if "-resnet50-" in n and "-g8-b24-" in n)
    with open(f"{plan}/runs/{name}/run.json") as f:
        spec = json.load(f)
    with open(f"{plan}/jobs/{name}.sh") as f:
        written = f.read()
    script = written.replace(plan, "{{ root }}").replace(name, "{{ run_id }}")
    script = re.sub(r"\bresnet50\b", "{{ model }}", script)
    for pattern, value in [(r"(ranks?: |--ntasks=|-np )8\b", "gpus"), (r"(--nodes=|: )2\b", "nodes"),
                           (r"(--ntasks-per-node=|gpu:)4\b", "ranks"),
                           (r"(global batch: )192\b", "global_batch")]:
        script = re.sub(pattern, r"\g<1>{{ " + value + " }}", script)
    assert written == jinja2.Environment(keep_trailing_newline=True).from_string(script).render(
        root=plan, run_id=name, model="resnet50", gpus=8, nodes=2, ranks=4, global_batch=192)
    return bench.write("setup.json", json.dumps({"template": script, "spec": spec, "axes": axes}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dlscale", help="program to time, from a release build")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--markdown", help="also write the table to this file")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    try:
        run(bench)
        print_table(bench, arguments)
    finally:
        shutil.rmtree(bench.work, ignore_errors=True)


def run(bench):
    epochs = AXES["epochs"]
    small = {**AXES, "epochs": epochs[:1]}
    large = {**AXES, "epochs": [10 * e + k for e in range(1, 11) for k in range(10)]}
    studies = {n: bench.write(f"{n}.toml", study_text(axes))
               for n, axes in (("1k", small), ("10k", AXES), ("100k", large))}
    array = bench.write("array.toml", study_text(AXES, launch="[launch]\narray = true"))

    bench.plan(studies["10k"], bench.fresh("first"))  # also warms the page cache
    setup = loop_setup(bench, bench.path("first"), AXES)
    loop_program = bench.write("loop.py", LOOP)
    loop, first, second, arrays = [], [], [], []
    for _ in range(bench.repetitions):
        loop.append(bench.timed([sys.executable, loop_program, setup, bench.fresh("loop")]))
        first.append(bench.plan(studies["10k"], bench.fresh("first")))
        second.append(bench.plan(studies["10k"], bench.path("first")))
        arrays.append(bench.plan(array, bench.fresh("array")))
    again = subprocess.run([bench.dlscale, "plan", studies["10k"], "--site", SITE, "-o",
                            bench.path("first")], capture_output=True, text=True, check=True)
    assert " 0 files written" in again.stdout, again.stdout[-300:]
    files = count_files(bench.path("first"))
    assert count_files(bench.path("loop")) == files - 3  # dlscale also copies study and site, and writes a fingerprint
    base = bench.report("10,000 points: Python + Jinja2 loop", loop)
    ours = bench.report(f"10,000 points: dlscale plan ({files:,} files)", first, "≤ 0.6 of the loop",
                        base)
    bench.report("10,000 points again, nothing changed", second, "≤ 0.5 of the first plan", ours)
    bench.report("10,000 points as job arrays", arrays, "≤ 0.2 of the loop", base)
    for name in ("first", "loop", "array"):
        bench.fresh(name)

    plain = {n: [] for n in ("1k", "100k")}
    for _ in range(max(3, bench.repetitions // 2)):
        for n, samples in plain.items():
            samples.append(bench.plan(studies[n], bench.fresh("size")))
    bench.report("1,000 points", plain["1k"], "linear", ours)
    bench.report("100,000 points", plain["100k"], "≤ 15 s, ≤ 500 MB", ours)
    bench.fresh("size")
    filtering(bench, large)


def filtering(bench, axes):
    """Times plans that exclude all but 10 of 100,000 points, by an [[exclude]] and by --where."""
    wanted = 'epochs <= 100 && model == "resnet50" && gpus * batch_per_gpu == 64'
    plain = bench.write("all.toml", study_text(axes))
    kept = bench.write("kept.toml", study_text(
        axes, extra=f"[[exclude]]\nwhen = '!({wanted})'\nwhy = \"bench\""))
    dry = [bench.dlscale, "plan", "--site", SITE, "--dry-run", "-o", bench.path("none")]
    excluded, chosen = [], []
    for _ in range(bench.repetitions):
        excluded.append(bench.timed([*dry, kept]))
        chosen.append(bench.timed([*dry, plain, "--where", wanted]))
    bench.report("100,000 points, an [[exclude]] leaves few (dry run)", excluded, "≤ 0.3 s")
    bench.report("100,000 points, --where leaves few (dry run)", chosen, "≤ 0.3 s")


def cpu_name():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")),
                    "unknown CPU")


def print_table(bench, arguments):
    head = ["what", "median s", "range s", "peak MB", "ratio", "bar"]
    text = "| " + " | ".join(head) + " |\n|---|--:|--:|--:|--:|---|\n"
    text += "".join("| " + " | ".join(row) + " |\n" for row in bench.rows)
    text += (f"\n{os.cpu_count()} cores of {cpu_name()}, Linux {platform.release()}, "
             f"Python {platform.python_version()}, Jinja2 {jinja2.__version__}, /dev/shm; medians of "
             f"{bench.repetitions}, interleaved; load before: {os.getloadavg()[0]:.1f}.\n")
    print(text, end="")
    if arguments.markdown:
        with open(arguments.markdown, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
