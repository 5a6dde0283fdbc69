#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a site file's queues and nodes as SQL for OAR's database (2.5, PostgreSQL).

usage: oar_resources.py SITE.toml

Each property that a condition of the site's partitions uses becomes a column of the table of
resources. The value of a resource in this column satisfies the condition of the partition. One
resource is one core.
"""
import re
import sys
import tomllib

NODES_UNLESS_SAID = 16
SOCKETS = 2
COMPARISON = re.compile(r"""(\w+)\s*(=|!=|<>|<=|>=|<|>|\blike\b|\bin\b)\s*\(?\s*('[^']*'|-?\d+)""",
                        re.IGNORECASE)


def conditions(properties):
    """Returns, for each column, the value that makes its first comparison true."""
    values = {}
    for column, operator, literal in COMPARISON.findall(properties):
        text = literal.strip("'")
        if operator.lower() in ("!=", "<>"):
            text = "another" if literal.startswith("'") else str(int(text) + 1)
        elif operator in ("<", ">"):
            text = str(int(text) + (1 if operator == ">" else -1))
        values.setdefault(column.lower(), text if literal.startswith("'") else int(text))
    return values


def quoted(value):
    if value is None or isinstance(value, int):
        return "NULL" if value is None else str(value)
    return "'" + value.replace("'", "''") + "'"


class Numbers:
    """Counters that continue from one partition to the next partition."""

    def __init__(self):
        self.node, self.cpu, self.core, self.gpu = 0, 1, 1, 1


def rows(partition, numbers):
    cores, gpus = partition.get("cores_per_node", 1), partition.get("gpus_per_node", 0)
    said = conditions(partition.get("properties", ""))
    host = said.pop("host", said.pop("network_address", "node%"))
    count = partition.get("nodes") or partition.get("max_nodes") or NODES_UNLESS_SAID
    for _ in range(max(count, partition.get("min_nodes", 1))):
        numbers.node += 1
        name = host.replace("%", f"-{numbers.node}") if "%" in host else host
        for core in range(cores):
            row = {"network_address": name, "host": name, "cpuset": str(core),
                   "cpu": numbers.cpu + core * SOCKETS // cores, "core": numbers.core + core}
            if gpus:
                row[partition.get("gpu_resource", "gpu")] = numbers.gpu + core * gpus // cores
                row["gpu_model"] = partition.get("gpu_type")
            yield row | said
        numbers.cpu, numbers.core = numbers.cpu + SOCKETS, numbers.core + cores
        numbers.gpu += gpus


def allow_types(partitions):
    """Prints SQL that makes an admission rule accept types of jobs that OAR does not know."""
    for kind in sorted({kind for partition in partitions for kind in partition.get("types", [])}):
        print("UPDATE admission_rules SET rule = replace(rule, 'qr/^idempotent$/,', "
              f"'qr/^idempotent$/, qr/^\\Q{kind}\\E$/,');")


def main():
    with open(sys.argv[1], "rb") as file:
        partitions = tomllib.load(file)["partitions"]
    print("SET client_min_messages = warning;\nBEGIN;")
    for queue in dict.fromkeys(partition.get("queue", partition["name"]) or "default"
                               for partition in partitions):
        print("INSERT INTO queues (queue_name, priority, scheduler_policy) SELECT "
              f"{quoted(queue)}, 3, scheduler_policy FROM queues WHERE queue_name = 'default' "
              "ON CONFLICT DO NOTHING;")
    allow_types(partitions)
    numbers = Numbers()
    resources = [row for partition in partitions for row in rows(partition, numbers)]
    kinds = {column: "INT" if isinstance(value, int) else "VARCHAR(255)"
             for row in resources for column, value in row.items() if value is not None}
    for column, kind in kinds.items():
        print(f"ALTER TABLE resources ADD COLUMN IF NOT EXISTS {column} {kind};")
    print(f"INSERT INTO resources (state, state_num, {', '.join(kinds)}) VALUES")
    print(",\n".join("('Alive', 1, " + ", ".join(quoted(row.get(column)) for column in kinds) + ")"
                     for row in resources) + ";")
    print("COMMIT;")


main()
