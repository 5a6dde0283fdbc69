#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how far published efficiencies differ, and how often bands derived from them contain published values.

`dlscale predict` has no term for the input pipeline, the start of an epoch, stragglers between nodes, or congestion of
the network. Without such terms, the bands for GPU counts that were not measured get their width from published systems.
This script collects every published series of efficiency over numbers of GPUs. It leaves out one system at a time, and
determines how often the bands from the other systems contain the published values of that system.

    DLSCALE_TEST_DATA=FOLDER bench/prediction_bands.py -o docs/measurements/prediction_bands.md

FOLDER holds the public logs and tables (scaling/...). The script reads the tables of share/references/ from this
repository. `predict/band.cpp` contains the spreads of the first table that this script prints.

The model of the spread: with r = GPUs / GPUs of the baseline, a published efficiency E is a loss of
ln(1/E) / log2(r) per doubling. The lower end of a band is the loss per doubling that 95 % of the published points do
not exceed, times the number of doublings: E >= r^-s'. Each system has the same weight for any number of published
points, and each series of a system has the same weight. The upper end of a band is the largest gain that another system
published. This gain shows how well measurements repeat.
"""

import argparse
import collections
import csv
import json
import math
import os
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOMINAL = 0.9  # coverage of a band: 5 % of the published points may lie below the band, 5 % above

PIPELINE = "input pipeline"
NO_PIPELINE = "synthetic or in memory"
KINDS = (PIPELINE, NO_PIPELINE)

# The itwinai report does not name its machine. The authors of the report compute at the Jülich
# centre, like the authors of the JUWELS study. The script therefore leaves out the itwinai data
# whenever it leaves out the JUWELS data.
ITWINAI = "itwinai (machine not named)"
JUWELS = "JUWELS Booster"
ALSO_LEFT_OUT = {JUWELS: {ITWINAI}}

# Sites shipped with dlscale that describe published systems. A prediction for one of these sites
# leaves out the data that come from the site's own system.
SITES = {"juwels-booster": JUWELS, "jureca-dc": "JURECA-DC", "lumi-g": "CSC lumi",
         "nef": "NEF", "nef-cpu": "NEF"}

NOT_USED = [
    ("scaling/dawnbench", "each entry is one number of GPUs, with other images and schedules"),
    ("scaling/pydtnn, scaling/timm", "one GPU, or settings without times"),
    ("scaling/nccl-tests-*", "all-reduces alone: no training"),
    ("scaling/vtrain, rows with tensor or pipeline parallelism", "not data-parallel"),
    ("scaling/lambda, ncf and bert",
     "an epoch of 0.01 s and 35 steps with their start: up to 1.4 times what N GPUs can do"),
    ("scaling/mlperf-v0.5, NVIDIA and TPU v2; mlperf-v0.7, TPU v3",
     "one accelerator count, or two with different programs"),
    ("share/references/ensias", "one GPU of one kind against two of another"),
    ("share/references/princeton, share/references/barrachina", "no times of training on several counts"),
    ("share/references/juwels, rows with >", "a lower bound does not say how much was lost"),
    ("share/references/nef, one core", "one process computed with all cores"),
]

Series = collections.namedtuple("Series", "system kind name baseline points")  # {n: efficiency}


def table(path):
    with open(path, encoding="utf-8-sig") as file:
        lines = [line for line in file if not re.match(r"# (SPDX|source|where|kind|note)", line)]
    return list(csv.DictReader(lines))


class Collector:
    """Collects the costs of a sample (GPU-seconds, in any unit) by series and number of GPUs."""

    def __init__(self):
        self.costs = collections.defaultdict(dict)
        self.given = []  # series that publish efficiencies

    def add(self, system, kind, name, gpus, cost):
        self.costs[system, kind, name][gpus] = cost

    def series(self):
        made = list(self.given)
        for (system, kind, name), costs in self.costs.items():
            first = min(costs)
            points = {n: costs[first] / cost for n, cost in sorted(costs.items()) if n > first}
            if points:
                made.append(Series(system, kind, name, first, points))
        return sorted(made, key=lambda each: (each.system, each.kind, each.name))


def read_references(out):
    folder = ROOT / "share/references"
    for row in table(folder / "ai4hpc" / "epoch-times.csv"):  # the work grows with the GPUs
        system = row["system"].split(",")[0]
        name = f"AI4HPC autoencoder, {row['framework'] or 'framework not named'}"
        if "container" in row["system"]:
            name += ", container"
        out.add(system, NO_PIPELINE, name, int(row["gpus"]), float(row["epoch_time [s]"]))
    for row in table(folder / "itwinai" / "epoch-times.csv"):
        gpus = int(row["gpus"])
        out.add(ITWINAI, PIPELINE, f"{row['workload']}, {row['framework']}", gpus,
                gpus * float(row["epoch_time [s]"]))
    rate = "throughput@median [image/s]"
    for row in table(folder / "nef" / "gpu-recomputed.csv"):
        gpus = int(row["gpus"])
        out.add("NEF", PIPELINE, f"DenseNet121, batch {row['global_batch']}", gpus,
                gpus / float(row[rate]))
    for row in table(folder / "nef" / "cpu-recomputed.csv"):
        cores = int(row["cores"])
        if cores > 1:
            out.add("NEF", PIPELINE, "DenseNet121 on cores", cores, cores / float(row[rate]))
    for row in table(folder / "juwels" / "text-efficiency.csv"):
        if row["quantity"] != "efficiency" or row["relation"] not in ("=", "<"):
            continue
        name = f"{row['model']}, {row['framework']}, {row['loader']}, {row['where']}"
        out.given.append(Series(JUWELS, PIPELINE, name.replace("?", "").replace("|", "/"), 4,
                                {int(row["gpus"]): float(row["value"])}))


def read_csc(out, folder):
    for line in (folder / "csc-ml-benchmarks" / "results.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 6 or not cells[3].isdigit() or not re.fullmatch(r"[\d.]+", cells[5]):
            continue
        kind = PIPELINE if "Imagenet" in cells[0] else NO_PIPELINE
        gpus = int(cells[3])
        out.add(f"CSC {cells[2]}", kind, f"{cells[0]}, {cells[1]}, {cells[4]}", gpus,
                gpus / float(cells[5]))


def read_dlperf(out, folder):
    model = batch = ""
    names = []
    path = folder / "dlperf" / "dlperf_benchmark_test_report_v1.md"
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("### "):
            model = line.strip("# ").split(" throughput")[0]
        elif line.startswith("#### "):
            batch = line.strip("# ")
        elif cells[0] == "node num":
            names = [re.sub(r"<[^>]*>", " ", re.sub(r"\]\([^)]*\)", "", cell)).strip(" [")
                     for cell in cells]
        elif len(cells) > 2 and cells[0].isdigit() and cells[1].isdigit():
            gpus = int(cells[1])
            for name, cell in zip(names[2:], cells[2:]):
                value = re.match(r"[\d.]+", cell)
                if value:
                    out.add("DLPerf", PIPELINE, f"{model}, {batch}, {' '.join(name.split())}",
                            gpus, gpus / float(value[0]))


def read_lambda(out, folder):
    patterns = {"resnet50_AMP": (NO_PIPELINE, r"Summary: .*train\.total_ips : ([\d.]+)"),
                "resnet50_FP32": (NO_PIPELINE, r"Summary: .*train\.total_ips : ([\d.]+)"),
                "SSD_AMP": (PIPELINE, r"Training performance = ([\d.]+)"),
                "gnmt_FP16": (PIPELINE, r"\|\s*\d+\|\s*\d+\|\s*[\d.]+\|\s*([\d.]+)\|")}
    for task, (kind, pattern) in patterns.items():
        for path in sorted((folder / "lambda").glob(f"*/PyTorch_{task}/*.txt")):
            host = re.match(r"(?:1cc_)?(\d*)x?([VAH]\d+)", path.parts[-3])
            rates = re.findall(pattern, path.read_text(errors="replace"))
            if rates:
                gpus = int(host[1] or 1)
                out.add(f"Lambda {host[2]}", kind, task, gpus, gpus / float(rates[-1]))


def read_vtrain(out, folder):
    for row in table(folder / "vtrain" / "ground_truth_single.csv"):
        row = {key.lstrip("# "): value for key, value in row.items()}
        if row["tensor parallelism"] != "1" or row["pipeline parallelism"] != "1":
            continue
        gpus = int(row["GPUs"])
        name = (f"hidden {row['hidden size']}, {row['layers']} layers, batch {row['micro batch']} "
                f"of {int(row['global batch']) // gpus}")
        out.add("vTrain A100", NO_PIPELINE, name, gpus, float(row["iteration time (ms)"]))


def mlperf_lines(path):
    for line in path.read_text(errors="replace").splitlines():
        found = re.search(r":::MLL\w*\s+(\{.*\})", line)
        if found:
            try:
                yield json.loads(found[1])
            except ValueError:
                continue


def epochs_per_s(path):
    """Returns the epochs per second in a log of MLPerf v0.7 or later, as a median over blocks or epochs of training.

    The time of evaluations does not count.
    """
    begun, rates = {}, []
    lines = list(mlperf_lines(path))
    by_epoch = any(line["key"] == "epoch_stop" for line in lines)
    unit = "epoch" if by_epoch else "block"
    for line in lines:
        if line["key"] == f"{unit}_start":
            begun = line
        elif line["key"] == f"{unit}_stop" and begun:
            epochs = 1 if by_epoch else begun["metadata"]["epoch_count"]
            rates.append(1000 * epochs / (line["time_ms"] - begun["time_ms"]))
            begun = {}
    return statistics.median(rates[1:] if len(rates) > 1 else rates)  # the first one includes compilation


def epochs_per_s_of_v05(path):
    """Returns the epochs per second in a log of MLPerf v0.5, from the end of an evaluation to the start of the next.

    The records give the numbers of the epochs.
    """
    rates, last, start = [], None, None
    for time, key, value in re.findall(
            r":::MLPv0\.5\.0 resnet ([\d.]+) \([^)]*\) (eval_start|eval_accuracy)(?:: (\{.*\}))?",
            path.read_text(errors="replace")):
        if key == "eval_start":
            start = float(time)
            continue
        epoch = json.loads(value)["epoch"]
        if last and start and epoch > last[0]:
            rates.append((epoch - last[0]) / (start - last[1]))
        last = (epoch, float(time))
    return statistics.median(rates)


def read_mlperf(out, folder):
    later = [("Dell C4140", "mlperf-v0.7/DellEMC/results", {4: "C4140", 8: "2xC4140",
                                                            16: "4xC4140"}),
             ("Dell XE8545", "mlperf-v2.0/Dell/results",
              {4: "XE8545x4A100-SXM-40GB", 8: "2xXE8545x4A100-SXM-40GB",
               16: "4xXE8545x4A100-SXM-40GB", 32: "8xXE8545x4A100-SXM-40GB"}),
             ("NVIDIA DGX A100", "mlperf-v0.7/NVIDIA/results",
              {8: "dgxa100_ngc20.06_mxnet", 16: "dgxa100_n2_ngc20.06_mxnet"}),
             ("Google TPU v4", "mlperf-v0.7/Google/results",
              {16: "tpu-v4-16-TF", 128: "tpu-v4-128-TF", 512: "tpu-v4-512-TF"})]
    for system, where, hosts in later:
        for gpus, host in hosts.items():
            rate = epochs_per_s(folder / where / host / "resnet" / "result_0.txt")
            out.add(system, PIPELINE, "MLPerf ResNet-50", gpus, gpus / rate)
    v05 = folder / "mlperf-v0.5"
    for nodes in (1, 8):
        path = v05 / f"intel/intel_resnet_submission/results/skx_8180_2s_{nodes}x/resnet"
        out.add("Intel 8180 nodes", PIPELINE, "MLPerf ResNet-50", nodes,
                nodes / epochs_per_s_of_v05(path / "result_0.txt"))
    for cores in (32, 512):
        path = v05 / f"google/research_v3.{cores}/resnet-tpuv3-{cores}/results/tpu/resnet"
        out.add("Google TPU v3", PIPELINE, "MLPerf ResNet-50", cores,
                cores / epochs_per_s_of_v05(path / "result_0.txt"))


def all_series(data):
    out = Collector()
    folder = data / "scaling"
    read_references(out)
    read_csc(out, folder)
    read_dlperf(out, folder)
    read_lambda(out, folder)
    read_vtrain(out, folder)
    read_mlperf(out, folder)
    return out.series()


def losses(series):
    """Returns the number of doublings and the loss of each point. The loss is a natural logarithm."""
    return [(math.log2(n / series.baseline), -math.log(efficiency))
            for n, efficiency in series.points.items()]


def weighted_quantile(values, quantile):
    values = sorted(values)
    least = quantile * sum(weight for _, weight in values) - 1e-12
    summed = 0
    for value, weight in values:
        summed += weight
        if summed >= least:
            return value
    return values[-1][0]


Spread = collections.namedtuple("Spread", "loss gain")  # loss: ln per doubling; gain: ln for any GPU count


def spread_of(series, kind, left_out=(), power=1.0):
    used = [each for each in series if each.system not in left_out]
    of_kind = [each for each in used if each.kind == kind]
    number = collections.Counter(each.system for each in of_kind)
    values = [(loss / doublings**power, 1 / number[each.system] / len(each.points))
              for each in of_kind for doublings, loss in losses(each)]
    gain = max(0.0, max(-loss for each in used for _, loss in losses(each)))
    return Spread(weighted_quantile(values, (1 + NOMINAL) / 2), gain)


def left_out_with(system):
    return {system} | ALSO_LEFT_OUT.get(system, set())


def coverage(series, kind, power=1.0):
    """Returns for each system the spread of the other systems, its points, and which points lie in the others' band."""
    rows = []
    for system in sorted({each.system for each in series if each.kind == kind}):
        spread = spread_of(series, kind, left_out_with(system), power)
        points = [point for each in series if each.system == system and each.kind == kind
                  for point in losses(each)]
        held = [-spread.gain - 1e-9 <= loss <= spread.loss * doublings**power + 1e-9
                for doublings, loss in points]
        rows.append((system, spread, points, held))
    return rows


def text_of_ranges(points):
    most = max(doublings for doublings, _ in points)
    worst = max(points, key=lambda point: point[1] / point[0])
    return f"{2**most:.3g}", f"{worst[1] / worst[0]:.3f}"


def report(series, data_note):
    lines = ["# How far published systems lie apart", "",
             "This page is for readers of [prediction.md](../prediction.md) who want to know what "
             "the bands without a", "calibration rest on. `bench/prediction_bands.py` writes it:",
             "", "```sh",
             "DLSCALE_TEST_DATA=FOLDER bench/prediction_bands.py -o "
             "docs/measurements/prediction_bands.md", "```", "", *data_note, "",
             "## Spreads that dlscale uses", "",
             "Loss: ln(1/efficiency) for each doubling of the GPUs, which 95 % of the published "
             "points do not exceed.",
             "Gain: the largest ln(efficiency) above 0 that was published, which is how far "
             "measurements repeat.",
             "A site that is itself a published system has a row of its own, in which that system "
             "is left out.",
             "The itwinai report does not name its machine. It may be JUWELS Booster, so it is "
             "left out with JUWELS Booster.", "",
             "| site | loss, input pipeline | loss, synthetic or in memory | gain |",
             "|---|--:|--:|--:|"]
    for site, system in [("any other", None), *sorted(SITES.items())]:
        left_out = left_out_with(system) if system else ()
        spreads = [spread_of(series, kind, left_out) for kind in KINDS]
        lines.append(f"| {site} | {spreads[0].loss:.3f} | {spreads[1].loss:.3f} | "
                     f"{spreads[0].gain:.3f} |")
    lines += ["", "## Coverage, one system left out at a time", "",
              f"The nominal coverage is {NOMINAL:.0%}. *In the band* counts the points of the "
              "system that lie in the band which the",
              "other systems give around perfect scaling. The bands that dlscale prints are at "
              "least as wide: they also hold", "what computing and all-reduces may take.", ""]
    for kind in KINDS:
        rows = coverage(series, kind)
        lines += [f"### {kind[0].upper()}{kind[1:]}", "",
                  "| system left out | series | points | most GPUs / fewest | its worst loss per "
                  "doubling | loss by the others | in the band |",
                  "|---|--:|--:|--:|--:|--:|--:|"]
        for system, spread, points, held in rows:
            most, worst = text_of_ranges(points)
            number = sum(each.system == system and each.kind == kind for each in series)
            lines.append(f"| {system} | {number} | {len(points)} | {most} | {worst} | "
                         f"{spread.loss:.3f} | {statistics.mean(held):.0%} |")
        mean = statistics.mean(statistics.mean(held) for *_, held in rows)
        pooled = statistics.mean(flag for *_, held in rows for flag in held)
        whole = sum(all(held) for *_, held in rows)
        lines += ["", f"Mean over systems: **{mean:.0%}**. All points together: {pooled:.0%}. "
                  f"Systems with every point in the band: {whole} of {len(rows)}.", ""]
    lines += ["## Another form that was tried", "",
              "With the square root of the number of doublings instead of the number itself, "
              "bands are wider for two GPUs",
              "and narrower for hundreds.", "",
              "| kind | form | mean coverage | coverage of points from 32 times the fewest GPUs "
              "on |", "|---|---|--:|--:|"]
    for kind in KINDS:
        for power, form in ((1.0, "doublings (used)"), (0.5, "square root of the doublings")):
            rows = coverage(series, kind, power)
            far = [flag for *_, points, held in rows for (doublings, _), flag in zip(points, held)
                   if doublings >= 5]
            mean = statistics.mean(statistics.mean(held) for *_, held in rows)
            lines.append(f"| {kind} | {form} | {mean:.0%} | {statistics.mean(far):.0%} of "
                         f"{len(far)} |")
    lines += ["", "## What is not used", ""]
    lines += [f"- `{what}`: {why}." for what, why in NOT_USED]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", help="file for the report (default: standard output)")
    parser.add_argument("--series", action="store_true", help="list the efficiencies instead of the report")
    options = parser.parse_args()
    data = os.environ.get("DLSCALE_TEST_DATA")
    if not data:
        parser.error("DLSCALE_TEST_DATA: set it to the folder with the public logs and tables")
    series = all_series(pathlib.Path(data))
    if options.series:
        for each in series:
            points = ", ".join(f"{n}: {value:.3f}" for n, value in each.points.items())
            print(f"{each.system} | {each.kind} | {each.name} | from {each.baseline} | {points}")
        return
    number = len({each.system for each in series})
    note = [f"{len(series)} series of {number} systems, "
            f"{sum(len(each.points) for each in series)} points. `--series` lists them.",
            "The tables come from `share/references/`, the logs and reports from `FOLDER/scaling`."]
    text = report(series, note)
    if options.output:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
