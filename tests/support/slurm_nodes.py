#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a site file's nodes and partitions as lines of slurm.conf.

usage: slurm_nodes.py [--running] SITE.toml

Partitions whose nodes have the same shape share nodes. A partition with fewer nodes than the others
has the first nodes. Without --running, SLURM knows the nodes, but no host with their names exists.
With --running, each node is a host with the name of the node.
"""
import re
import sys
import tomllib

NODES_UNLESS_SAID = 1024


def shape_of(partition):
    return tuple(partition.get(key, 0) for key in
                 ("gpus_per_node", "gpu_type", "cores_per_node", "memory_gb"))


def node_count(partition):
    said = [partition[key] for key in ("nodes", "max_nodes", "min_nodes") if key in partition]
    return said[0] if said else NODES_UNLESS_SAID


def features(partitions):
    """Returns the names in the partitions' constraints, without operators ("&", "|", counts)."""
    names = set()
    for partition in partitions:
        names |= set(re.findall(r"[A-Za-z_][\w.-]*", partition.get("constraint", "")))
    return sorted(names)


def gres(partition):
    if not partition.get("gpus_per_node"):
        return ""
    kind = partition.get("gpu_type", "").replace(" ", "_")
    return f" Gres=gpu:{kind + ':' if kind else ''}{partition['gpus_per_node']}"


def node_line(prefix, partitions, count, state):
    first = partitions[0]
    line = f"NodeName={prefix}[1-{count}] CPUs={first.get('cores_per_node', 1)} {state}"
    line += f" RealMemory={int(first.get('memory_gb', 1024) * 1024)}{gres(first)}"
    names = features(partitions)
    return line + (f" Feature={','.join(names)}" if names else "")


def partition_line(name, entries, nodes):
    """Returns the line of a partition. A partition may have several entries, with different QoS.
    The widest limits of the entries apply. A partition without a name is the default partition."""
    line = f"PartitionName={name or 'unnamed Default=YES'} State=UP Nodes={nodes}"
    line += f" MinNodes={min(entry.get('min_nodes', 1) for entry in entries)}"
    if all("max_nodes" in entry for entry in entries):
        line += f" MaxNodes={max(entry['max_nodes'] for entry in entries)}"
    if all("max_walltime" in entry for entry in entries):
        line += f" MaxTime={max((entry['max_walltime'] for entry in entries), key=minutes)}"
    if all(entry.get("exclusive", False) for entry in entries):
        line += " OverSubscribe=EXCLUSIVE"
    return line


def minutes(walltime):
    days, _, clock = walltime.rpartition("-")
    hours, minute, *_ = clock.split(":")
    return int(days or 0) * 1440 + int(hours) * 60 + int(minute)


def state_of_nodes():
    return "State=UNKNOWN" if "--running" in sys.argv else "State=CLOUD"


def main():
    with open(sys.argv[-1], "rb") as file:
        site = tomllib.load(file)
    if "max_array_size" in site:
        print(f"MaxArraySize={site['max_array_size']}")
    shapes, named = {}, {}
    for partition in site["partitions"]:
        shapes.setdefault(shape_of(partition), []).append(partition)
    for number, partitions in enumerate(shapes.values()):
        prefix = f"shape{number}n"
        count = max(map(node_count, partitions))
        print(node_line(prefix, partitions, count, state_of_nodes()))
        for partition in partitions:
            queue = partition.get("queue", partition["name"])
            nodes, entries = named.setdefault(queue, (set(), []))
            nodes.add(f"{prefix}[1-{partition.get('nodes', count)}]")
            entries.append(partition)
    for name, (nodes, entries) in named.items():
        # Ranges with the same prefix may overlap, because SLURM joins them.
        print(partition_line(name, entries, ",".join(sorted(nodes))))


main()
