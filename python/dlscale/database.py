# SPDX-License-Identifier: Apache-2.0
"""Reads results.sqlite: the records of runs whose output a log format reads, and the launches that count."""
from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dlscale.results import Record, launch_folders, warn

DATABASE = "results.sqlite"
# Views of the database by kind of record, with the keys that a log can state.
VIEWS = {
    "epoch": ("epoch_view", ("epoch", "time", "wall_s", "steps", "samples", "train_loss", "lr", "correct")),
    "step_window": ("step_window_view", ("epoch", "first_step", "steps", "warmup", "time", "samples", "wall_s", "lr",
                                         "train_loss")),
    "eval": ("eval_view", ("epoch", "time", "wall_s", "samples", "correct", "accuracy", "loss")),
}
Launches = dict[str, list[tuple[int, list[Record]]]]


def read_database(folder: Path, run_ids: set[str]) -> Launches:
    """Returns the launches that count, by run id. Each launch has its number and its records.

    Prints a warning if the database is missing, cannot be read or lacks launches of the runs.
    """
    file = folder / DATABASE
    advice = f"run dlscale collect {folder}"
    lacking = f"the frames lack the records of runs whose output a log format reads (number of runs: {len(run_ids)})"
    if not file.is_file():
        warn(f"{file} does not exist; {lacking}; {advice}")
        return {}
    try:
        with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            known = set(database.execute("SELECT run_id, launch FROM launch"))
            found = _read_views(database, run_ids)
    except sqlite3.Error as error:
        warn(f"{file}: {error}; {lacking}; {advice} with the dlscale program of the same version as this package")
        return {}
    missing = [number for run_id in run_ids for number, _ in launch_folders(folder / "runs" / run_id)
               if (run_id, number) not in known]
    if missing:
        warn(f"{file} lacks launches that began after the last collect (number of launches: {len(missing)}); {advice}")
    return found


class ResultLaunch(NamedTuple):
    """Launch whose result is the result of a run, according to the last `dlscale collect`."""
    number: int  # number of the last completed launch
    last: int    # number of the last launch that was collected


def result_launches(folder: Path) -> dict[str, ResultLaunch]:
    """Returns the launches that give the results of runs, by run id. Runs without a completed launch are left out.

    The result is empty if the folder has no results.sqlite, or if the file cannot be read.
    """
    file = folder / DATABASE
    if not file.is_file():
        return {}
    query = ("SELECT run_id, result_launch, max(launch) FROM run JOIN launch USING (run_id) "
             "WHERE result_launch IS NOT NULL GROUP BY run_id")
    try:
        with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return {run_id: ResultLaunch(number, last) for run_id, number, last in database.execute(query)}
    except sqlite3.Error:
        return {}


def _read_views(database: sqlite3.Connection, run_ids: set[str]) -> Launches:
    records: dict[str, dict[int, list[Record]]] = {}
    places: dict[tuple[Any, ...], Record] = {}  # by kind of record, run id, launch, line of the log
    for kind, (view, keys) in VIEWS.items():
        query = f"SELECT run_id, launch, line, {', '.join(keys)} FROM {view} WHERE counts = 1 ORDER BY 1, 2, 3"
        for run_id, launch, line, *values in _rows(database, query, run_ids):
            record = {"record": kind, **{key: value for key, value in zip(keys, values) if value is not None}}
            if kind == "step_window":
                record["warmup"] = bool(record.get("warmup"))
            places[kind, run_id, launch, line] = record
            records.setdefault(run_id, {}).setdefault(launch, []).append(record)
    for prefix, column, table in (("measured", "record", "measured_view"), ("metrics", "'eval'", "eval_metric")):
        query = f"SELECT run_id, {column}, launch, line, name, value FROM {table}"
        for run_id, kind, launch, line, name, value in _rows(database, query, run_ids):
            record = places.get((kind, run_id, launch, line), {})
            record[f"{prefix}.{name}"] = value
    return {run_id: sorted(launches.items()) for run_id, launches in records.items()}


def _rows(database: sqlite3.Connection, query: str, run_ids: set[str]) -> Iterable[tuple[Any, ...]]:
    """Yields the rows of a query whose first column is one of the run ids."""
    return (row for row in database.execute(query) if row[0] in run_ids)
