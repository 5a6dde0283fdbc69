#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of dlscale's loaders with torchvision's and DALI's loaders on the same files.

Both sides load whole epochs and do nothing with the data. They use --cores cores, and no other side runs at the same
time. A round launches every side once, in an order that rotates from round to round. A ratio compares two launches of
one round, each with the median of its blocks. The table shows the median, the least and the most over rounds. For
ratios it shows the 95 % bootstrap interval, or the least and the most if there are fewer than six rounds. Rates per
core in use refer to CPU time. KB/image is the size of the data that a loader reads from files.

  bench/peers/setup DIR                                                              (once)
  bench/loader_bench.py --trainer build/release/bin/dlscale-train --python DIR/bin/python \\
      --photographs FOLDER --mnist FOLDER [--packed FOLDER] [--cores 1,2] [--rounds 7] --raw rounds.jsonl
  bench/loader_bench.py --raw rounds.jsonl --table                                   (nothing is launched)

The folder of photographs contains train/<class>/ and val/<class>/. --packed names a folder with the subfolders as/,
256/ and raw256/, which `dlscale pack` made from the same photographs. The row of a side that fails shows the reason.
Rounds that --raw already contains are not repeated.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from train_bench import busy_s, interval, machine

HERE = pathlib.Path(__file__).parent


def ours(arguments, cores, *settings):
    threads = [] if "loader=memory" in settings else [f"threads={cores}"]  # the loader memory has no threads
    command = [str(pathlib.Path(arguments.trainer).with_name("dlscale-bench")), "loader", *settings, *threads, f"cores={cores}", "--json", "--seconds", str(arguments.seconds), "--blocks", str(arguments.blocks)]
    return command, lambda out: {"samples_per_s": out["images_per_s"]["median"],
                                 "used": out["cores"]["median"], "kb": out["kb_per_image"]["median"]}


def theirs(arguments, script, *settings):
    command = [arguments.python, str(HERE / "peers" / script), *settings, "--blocks", str(arguments.blocks)]
    return command, lambda out: {"samples_per_s": statistics.median(out["samples_per_s"]),
                                 "used": statistics.median(out["cores"]) if out["cores"] else None,
                                 "versions": {key: out[key]
                                              for key in ("torch", "torchvision", "pillow", "dali")
                                              if key in out}}


def sides(arguments, cores):
    """Returns the sides by name, in the order of the table. A side is a command and a reader of its output."""
    found = {}
    if arguments.photographs:
        folder, train = arguments.photographs, os.path.join(arguments.photographs, "train")
        # On one core, a DataLoader without workers is faster than a DataLoader with one worker.
        workers = ["--workers", str(cores if cores > 1 else 0), "--seconds", str(arguments.seconds)]
        found["native"] = ours(arguments, cores, f"path={folder}")
        for kind in ("as", "256", "raw256"):
            if arguments.packed and os.path.isdir(os.path.join(arguments.packed, kind)):
                found[f"packed {kind}"] = ours(arguments, cores, "loader=packed",
                                               f"path={os.path.join(arguments.packed, kind)}")
        found["dali_cpu"] = ours(arguments, cores, "loader=dali_cpu", f"path={folder}")
        found["ImageFolder + PIL"] = theirs(arguments, "loaders.py", train, "--pipeline", "pil", *workers)
        found["decode_jpeg + v2"] = theirs(arguments, "loaders.py", train, "--pipeline", "jpeg", *workers)
        for kind in ("plain", "fused"):
            found[f"DALI {kind}"] = theirs(arguments, "dali.py", train, "--pipeline", kind,
                                           "--threads", str(cores), "--epochs", "6")
    if arguments.mnist and cores == 1:
        settings = ["--batch", "64", "--seconds", str(arguments.seconds)]
        found["memory, MNIST"] = ours(arguments, cores, "loader=memory", "dataset=mnist", "image_size=0",
                                      "flip=false", "batch=64", f"path={arguments.mnist}")
        found["tensor indexing, MNIST"] = theirs(arguments, "loaders.py", arguments.mnist, "--pipeline", "index",
                                                 *settings)
        found["DataLoader, MNIST"] = theirs(arguments, "loaders.py", arguments.mnist, "--pipeline", "dataset",
                                            *settings)
    return found


def launch(side, cores):
    command, read = side
    before = busy_s()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, range(cores))) as process:
        out, errors = process.communicate()
    if process.returncode != 0:
        return {"failed": (errors.strip().splitlines() or ["no message"])[-1]}
    result = read(json.loads(out.strip().splitlines()[-1]))
    result["machine_busy_s"] = round(busy_s() - before, 2)
    return result


def measure(arguments, raw):
    done = {(line["cores"], line["round"], line["side"]) for line in raw}
    for number in range(arguments.rounds):
        for cores in arguments.cores:
            order = list(sides(arguments, cores).items())
            turn = number % len(order)
            for name, side in order[turn:] + order[:turn]:
                if (cores, number, name) in done:
                    continue
                line = {**launch(side, cores), "cores": cores, "round": number, "side": name}
                raw.append(line)
                with open(arguments.raw, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
                print(f"round {number + 1}, {cores} cores: {name}: "
                      f"{line.get('failed') or round(line['samples_per_s'])}", file=sys.stderr, flush=True)


def rates(raw, cores, side):
    return {line["round"]: line["samples_per_s"] for line in raw
            if line["cores"] == cores and line["side"] == side and "failed" not in line}


def ratio(raw, cores, side, peer):
    mine, others = rates(raw, cores, side), rates(raw, cores, peer)
    pairs = [mine[number] / others[number] for number in mine.keys() & others.keys()]
    if not pairs:
        return "–"
    low, high = interval(pairs) if len(pairs) >= 6 else (min(pairs), max(pairs))
    return f"{statistics.median(pairs):.2f} ({low:.2f}–{high:.2f})"


def table(raw):
    lines = ["| cores | loader | images/s | least–most | per core in use | KB/image | native beside it |",
             "|--:|---|--:|--:|--:|--:|--:|"]
    for cores in sorted({line["cores"] for line in raw}):
        for side in dict.fromkeys(line["side"] for line in raw if line["cores"] == cores):
            values = list(rates(raw, cores, side).values())
            if not values:
                why = next(line["failed"] for line in raw if line["side"] == side and "failed" in line)
                lines.append(f"| {cores} | {side} | {why} | | | | |")
                continue
            efforts = [line["samples_per_s"] / line["used"] for line in raw
                       if line["cores"] == cores and line["side"] == side and line.get("used")]
            effort = f"{statistics.median(efforts):,.0f}" if efforts else ""
            kb = next((line["kb"] for line in raw if line["side"] == side and line.get("kb")), None)
            base = "memory, MNIST" if "MNIST" in side else "native"
            beside = "" if side == base else ratio(raw, cores, base, side)
            lines.append(f"| {cores} | {side} | {statistics.median(values):,.0f} | {min(values):,.0f}–"
                         f"{max(values):,.0f} | {effort} | {f'{kb:.1f}' if kb else ''} | {beside} |")
    alone, together = rates(raw, 1, "native"), rates(raw, 2, "native")
    pairs = [together[number] / alone[number] for number in alone.keys() & together.keys()]
    if pairs:
        lines += ["", f"`native` on two cores: {statistics.median(pairs):.2f} times one core, "
                  f"{min(pairs):.2f}–{max(pairs):.2f}."]
    versions = {}
    for line in raw:
        versions.update(line.get("versions", {}))
    named = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    return "\n".join(lines + ["", f"{machine()}; {named}; medians of "
                              f"{len({line['round'] for line in raw})} rounds."])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trainer", default="build/release/bin/dlscale-train")
    parser.add_argument("--python", help="Python interpreter of the environment that peers/setup created")
    parser.add_argument("--photographs", help="folder of photographs, with train and val")
    parser.add_argument("--packed", help="folder with several folders of record files of the same photographs")
    parser.add_argument("--mnist", help="folder with the four files of MNIST")
    parser.add_argument("--cores", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1, help="least duration of a block")
    parser.add_argument("--raw", required=True, help="file with a line of JSON for each launch")
    parser.add_argument("--table", action="store_true", help="only print the table")
    arguments = parser.parse_args()
    if not arguments.table and not arguments.python:
        parser.error("--python is needed: of the environment that bench/peers/setup made")
    return arguments


def main():
    arguments = parse()
    raw = []
    if os.path.exists(arguments.raw):
        with open(arguments.raw, encoding="utf-8") as file:
            raw = [json.loads(line) for line in file]
    if not arguments.table:
        measure(arguments, raw)
    print(table(raw))


if __name__ == "__main__":
    main()
