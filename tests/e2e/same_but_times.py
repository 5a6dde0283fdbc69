#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two tables (CSV) of the same study run in two places. usage: same_but_times.py A B

Rows, numbers of runs and learning rates must be equal. Accuracies may differ by five test samples,
because the order of sums over ranks depends on the place. Times only have to be present.
"""
import csv
import sys

TIMES = {"throughput_samples_per_s", "step_time_s", "speedup", "efficiency", "efficiency_low",
         "efficiency_high"}
PLACE = {"nodes"}
ACCURACY_TOLERANCE = 0.005


def read(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def differences(one, other):
    if len(one) != len(other) or not one:
        yield f"{len(one)} rows and {len(other)} rows"
        return
    for number, (left, right) in enumerate(zip(one, other), 1):
        if left.keys() != right.keys():
            yield f"other columns: {sorted(left.keys() ^ right.keys())}"
            return
        for column, value in left.items():
            there = right[column]
            if column in PLACE:
                same = int(there) >= 1
            elif column in TIMES:
                same = (value == "") == (there == "") and (there == "" or float(there) > 0)
            elif "accuracy" in column and value and there:
                same = abs(float(value) - float(there)) <= ACCURACY_TOLERANCE
            else:
                same = value == there
            if not same:
                yield f"row {number}, {column}: {value} and {there}"


def main():
    found = list(differences(read(sys.argv[1]), read(sys.argv[2])))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
