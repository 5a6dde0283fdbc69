#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the path of one job script of each shape below a folder, separated by zero bytes.

usage: one_of_each_shape.py FOLDER [numbers]

Two scripts have the same shape when they differ only in comments, numbers and run names.
With `numbers`, they may differ only in comments and run names.
"""
import pathlib
import re
import sys

NAMES = re.compile(r"^(job|run_id|run_folder|end_file|plan|table)=.*|^cd .*|^source .*", re.MULTILINE)
COMMENTS = re.compile(r"\n#.*")


def shape(text, with_numbers):
    code = NAMES.sub(r"\1", COMMENTS.sub("", text))
    return code if with_numbers else re.sub(r"\d+", "0", code)


def main():
    scripts = sorted(pathlib.Path(sys.argv[1]).glob("**/jobs/*.sh"))
    with_numbers = sys.argv[2:] == ["numbers"]
    chosen = {shape(script.read_text(), with_numbers): script for script in reversed(scripts)}
    print(*chosen.values(), sep="\0", end="")


main()
