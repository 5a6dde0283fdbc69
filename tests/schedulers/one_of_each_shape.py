#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints, zero-ended, one of each shape of the job scripts below a folder.

usage: one_of_each_shape.py FOLDER

Two scripts have the same shape when they differ in comments, numbers and names of runs only.
"""
import pathlib
import re
import sys

NAMES = re.compile(r"^(job|run_id|run_folder|end_file|plan|table)=.*|^cd .*", re.MULTILINE)
COMMENTS = re.compile(r"\n#.*")


def shape(text):
    return re.sub(r"\d+", "0", NAMES.sub(r"\1", COMMENTS.sub("", text)))


def main():
    scripts = sorted(pathlib.Path(sys.argv[1]).glob("**/jobs/*.sh"))
    chosen = {shape(script.read_text()): script for script in reversed(scripts)}
    print(*chosen.values(), sep="\0", end="")


main()
