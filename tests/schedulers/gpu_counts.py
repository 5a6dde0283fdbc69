#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the numbers of GPUs worth trying on each partition of a site, as values for a matrix.

usage: gpu_counts.py SITE.toml      prints one line "NAME<tab>[1, 4, 8]" per partition name

The numbers are one GPU, one node, and the fewest and the most nodes that one job may have there.
"""
import sys
import tomllib

NODES_UNLESS_SAID = 4


def ranks_per_node(site, partition):
    if site.get("device") == "cuda":
        return partition["gpus_per_node"]
    return partition["cores_per_node"] // site.get("cores_per_rank", 1)


def counts(site, partition):
    least = partition.get("min_nodes", 1)
    there = partition.get("nodes", NODES_UNLESS_SAID)
    most = min(partition.get("max_nodes", there), partition.get("nodes", sys.maxsize))
    per_node = ranks_per_node(site, partition)
    few = {1} if least == 1 else set()
    return few | {per_node * nodes for nodes in (least, max(least, most))}


def main():
    with open(sys.argv[1], "rb") as file:
        site = tomllib.load(file)
    found = {}
    for partition in site["partitions"]:
        found.setdefault(partition["name"], set()).update(counts(site, partition))
    for name, gpus in found.items():
        print(name, sorted(gpus), sep="\t")


main()
