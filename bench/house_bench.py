#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the size of the source tree at two commits, and times a full build of each commit.

    bench/house_bench.py BEFORE [AFTER] [--build PRESET] [--repeats N] [--simplified COMMIT OLD NEW] [-o FILE]

--simplified adds a table about the simplification since COMMIT. OLD and NEW are `dlscale` programs from release builds
of COMMIT and AFTER. bench/plan_bench.py and bench/collect_bench.py time both programs, OLD first and NEW second.

The results are in docs/measurements/house.md.

The script works on the repository of the current folder. It reads the counts from the commits, so it needs no checkout,
and edits that are not committed have no effect.

A build is timed from `cmake --preset PRESET` to the end of `cmake --build`, in a fresh clone and
without ccache. The two commits take turns, so that a change of the machine's load affects both.
CMAKE_BUILD_PARALLEL_LEVEL limits the number of compilers, as it does for every CMake build.
"""

import argparse
import collections
import io
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NOT_PRODUCT = {"tests", "examples", "bench"}
SOURCES = {".cpp", ".hpp"}
VERB = re.compile(rb"^const CommandEntry \w+", re.MULTILINE)

NOTES = """\
- A file is a C++ source or header (`.cpp`, `.hpp`) outside `tests/`, `examples/` and `bench/`.
  CMake lists, scripts, templates, site files and documentation are not counted.
- Lines are all lines of a file, with blank ones and comments.
- A flat folder counts the files that lie in it, without those in its subfolders.
- `cli/` is counted with its subfolders.
- A verb is a `.cpp` file that defines a `CommandEntry`.
- Root folders are those that git tracks, without `tests/`, `examples/`, `bench/` and hidden ones.
"""

Counts = collections.namedtuple("Counts", "files median flat cli verb roots")


class GitError(Exception):
    pass


def git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True)
    if done.returncode != 0:
        raise GitError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def is_product(name):
    return name.split("/")[0] not in NOT_PRODUCT


def sources(root, commit):
    """Returns the content of the product's C++ files at a commit, by name."""
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", commit))) as tree:
        return {member.name: tree.extractfile(member).read() for member in tree
                if member.isfile() and is_product(member.name)
                and pathlib.PurePosixPath(member.name).suffix in SOURCES}


def count(root, commit):
    texts = sources(root, commit)
    lines = {name: text.count(b"\n") for name, text in texts.items()}
    folders = collections.Counter(str(pathlib.PurePosixPath(name).parent) for name in texts)
    verbs = [name for name, text in texts.items() if name.endswith(".cpp") and VERB.search(text)]
    roots = git(root, "ls-tree", "-d", "--name-only", "-z", commit).decode().split("\0")
    flat, verb = largest(folders), largest({name: lines[name] for name in verbs})
    return Counts(
        files=(len(texts), ""),
        median=(statistics.median(lines.values()) if lines else 0, ""),
        flat=(flat[0], flat[1] and flat[1] + "/"),
        cli=(sum(n for name, n in lines.items() if name.startswith("cli/")), ""),
        verb=verb,
        roots=(sum(1 for name in roots if name and is_product(name) and name[0] != "."), ""))


def largest(sizes):
    """Returns the largest value and its name. If several values are equal, it returns the first name."""
    if not sizes:
        return 0, ""
    name = min(sizes, key=lambda each: (-sizes[each], each))
    return sizes[name], name


def build_time(root, commit, preset):
    """Returns the seconds that configuring and building a fresh clone of a commit take."""
    with tempfile.TemporaryDirectory(prefix="dlscale-house-bench-") as folder:
        clone = os.path.join(folder, "dlscale")
        git(root, "clone", "--quiet", "--no-checkout", "--shared", str(root), clone)
        git(clone, "checkout", "--quiet", "--detach", commit)
        start = time.perf_counter()
        for command in (["cmake", "--preset", preset, "-B", "build", "-DDLSCALE_CCACHE=OFF"],
                        ["cmake", "--build", "build"]):
            done = subprocess.run(command, cwd=clone, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace")
            if done.returncode != 0:
                sys.exit(f"house_bench: {commit}: {shlex.join(command)} failed:\n"
                         + done.stdout[-3000:])
        return time.perf_counter() - start


def build_times(root, commits, preset, repeats):
    """Returns the seconds of the builds of each of the two commits, in the order of measurement."""
    times = ([], [])
    for repeat in range(repeats):
        for commit, seconds in zip(commits, times):
            seconds.append(build_time(root, commit, preset))
            print(f"{commit}, build {repeat + 1} of {repeats}: {seconds[-1]:.1f} s",
                  file=sys.stderr)
    return times


def bench_rows(script, program, repeats):
    """Returns the rows of a bench's table by their first cell."""
    command = [sys.executable, str(HERE / script), program, "--repetitions", str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"house_bench: {shlex.join(command)} failed:\n" + done.stderr[-3000:])
    rows = [[part.strip() for part in line.strip("|").split("|")]
            for line in done.stdout.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows}


def row_of(rows, begin):
    return next(row for name, row in rows.items() if name.startswith(begin))


def simplified_table(root, options, after):
    """Returns the lines of the table about the simplification since a commit."""
    commit, *programs = options.simplified
    sizes = [sum(text.count(b"\n") for text in sources(root, each).values()) for each in (commit, after)]
    plans = [bench_rows("plan_bench.py", program, options.repeats) for program in programs]
    collects = [bench_rows("collect_bench.py", program, options.repeats) for program in programs]
    beside = [row_of(rows, "10,000 points: dlscale plan")[3] for rows in plans]
    large = [row_of(rows, "100,000 points") for rows in plans]
    unchanged = [row_of(rows, "10,000 small files: dlscale collect, nothing changed") for rows in collects]
    rows = [
        ["C++ lines", *(f"{size:,}" for size in sizes), f"{sizes[1] - sizes[0]:+,}", "at least 4,500 fewer"],
        ["times a point is derived", "4 to 5", "1", "", "1"],
        ["times a script is rendered", "2", "1", "", "1"],
        ["plan 10,000 runs / the Python and Jinja2 loop", *beside, "", "≤ 0.6"],
        ["plan 100,000 runs: median s (range), peak MB", *(f"{row[0]} ({row[1]}), {row[2]}" for row in large), "",
         "≤ 15 s, ≤ 500 MB"],
        ["collect 10,000 unchanged runs: median s (range)", *(f"{row[0]} ({row[1]})" for row in unchanged), "", "≤ 0.4 s"],
    ]
    lines = ["", "## Simplification", "",
             f"| | before ({commit}) | after ({after}) | change | goal |", "|---|--:|--:|--:|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    formats = sum(text.count(b"\n") for name, text in sources(root, after).items()
                  if name.startswith("analysis/import/formats/"))
    missed = [f"The goal for lines is missed. `analysis/import/formats` has {formats:,} lines of C++. A large part of them can go",
              "when a data file can describe a log format that is read line by line."]
    return lines + [""] + (missed if sizes[1] > sizes[0] - 4500 else []) + ["", "The counts of derived points and rendered scripts come from reading `planner/`.",
                    f"The times are medians of {options.repeats} rounds with the given programs of both commits.", ""]


def cell(value):
    number, name = value
    text = f"{number:,.1f}".removesuffix(".0")
    return f"{text} (`{name}`)" if name else text


def ratio(before, after):
    return f"{after / before:.2f}" if before else ""


def build_rows(times):
    before, after = times
    pairs = [b / a for a, b in zip(before, after)]
    spread = f" ({min(pairs):.2f}–{max(pairs):.2f})"
    yield ["build from nothing, shortest, s", f"{min(before):.1f}", f"{min(after):.1f}",
           ratio(min(before), min(after))]
    yield ["build from nothing, median (range), s",
           *(f"{statistics.median(each):.1f} ({min(each):.1f}–{max(each):.1f})"
             for each in times),
           ratio(statistics.median(before), statistics.median(after)) + spread]


def cpu_name():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")),
                    "unknown CPU")


def build_note(options):
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL")
    limit = f" with at most {jobs} compilers at a time" if jobs else ""
    return (f"- A build is timed from `cmake --preset {options.build}` to the end of `cmake --build`, "
            "in a fresh clone and\n  without ccache: "
            f"{options.repeats} builds of each commit in turn{limit}, on {os.cpu_count()} cores of\n"
            f"  {cpu_name()}. The range of the ratio is that of the ratios of builds timed one "
            "after the other.\n")


def report(commits, counts, times, options, simplified):
    names = ["C++ files", "median lines of a file", "files in the largest flat folder",
             "lines in `cli/`", "lines of the longest verb", "root folders"]
    rows = [[name, cell(before), cell(after), ratio(before[0], after[0])]
            for name, before, after in zip(names, *counts)]
    rows += build_rows(times) if times else []
    # The command contains commit hashes, because a name such as HEAD refers to a different commit
    # later.
    command = ["bench/house_bench.py", *commits]
    if times:
        command += ["--build", options.build, "--repeats", str(options.repeats)]
    if options.simplified:
        command += ["--simplified", options.simplified[0], "OLD", "NEW"]
    lines = ["# Size of the source tree", "",
             "This page is for developers who want to know how a rearrangement changed the tree.",
             "`bench/house_bench.py` writes it:", "", "```sh",
             shlex.join(command) + " \\", "  -o docs/measurements/house.md", "```", "",
             f"| | before ({commits[0]}) | after ({commits[1]}) | after / before |",
             "|---|--:|--:|--:|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return ("\n".join(lines) + "\n\n" + NOTES + (build_note(options) if times else "")
            + "\n".join(simplified))


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", metavar="BEFORE", help="commit to compare with")
    parser.add_argument("after", metavar="AFTER", nargs="?", default="HEAD",
                        help="commit to measure (default: HEAD)")
    parser.add_argument("--build", metavar="PRESET", help="also time builds by this CMake preset")
    parser.add_argument("--repeats", metavar="N", type=positive, default=3,
                        help="number of builds of each commit (default: 3)")
    parser.add_argument("--simplified", nargs=3, metavar=("COMMIT", "OLD", "NEW"),
                        help="also compare two programs, built from COMMIT and from AFTER")
    parser.add_argument("-o", "--output", help="file for the page (default: standard output)")
    options = parser.parse_args()
    try:
        root = pathlib.Path(os.fsdecode(git(".", "rev-parse", "--show-toplevel").rstrip(b"\n")))
    except GitError as error:
        parser.error(str(error))
    commits = []
    for name in (options.before, options.after):
        try:
            commits.append(git(root, "rev-parse", "--verify", "--short", "--end-of-options",
                               name + "^{commit}").decode().strip())
        except GitError:
            parser.error(f"{name}: no commit of {root} has this name")
    counts = [count(root, commit) for commit in commits]
    times = build_times(root, commits, options.build, options.repeats) if options.build else None
    simplified = simplified_table(root, options, commits[1]) if options.simplified else []
    text = report(commits, counts, times, options, simplified)
    if options.output:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
