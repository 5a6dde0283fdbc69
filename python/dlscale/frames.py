# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a plan folder, or of one file of records, into pandas frames.

The module reads plan.json and the files results.jsonl. It follows the rule of docs/results-format.md: if a launch
resumed an earlier launch, the steps of the earlier launch after the checkpoint do not count. Imported runs, and runs
whose output a log format reads, have no file results.jsonl in the plan folder. The module reads the records of these
runs from results.sqlite, which `dlscale collect` writes.
"""
from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from dlscale.database import ResultLaunch, read_database, result_launches
from dlscale.results import LAUNCH_FOLDER, RESULTS, Record, counted_before, launch_folders, read_records

if TYPE_CHECKING:
    import pandas

# Log format of runs that write results.jsonl. A run without a log format in the plan has this format.
RECORDS_FORMAT = "dlscale"
# File in the launch folder of an imported run. It names the imported log, which is outside of the plan folder.
IMPORT_RECORD = "import.json"
# Columns that exist also if there are no rows.
RUN_COLUMNS = ["run_id", "repetition", "gpus", "batch_per_gpu", "global_batch", "launches", "exit_code"]
EPOCH_COLUMNS = ["run_id", "launch", "epoch", "steps", "samples", "wall_s", "train_loss"]
WINDOW_COLUMNS = ["run_id", "launch", "epoch", "first_step", "steps", "warmup", "samples", "wall_s", "train_loss"]
EVAL_COLUMNS = ["run_id", "launch", "epoch", "samples", "accuracy", "loss"]


class Frames(NamedTuple):
    """Records as pandas frames. The column `run_id` connects them."""
    runs: pandas.DataFrame
    """One row for each run. Columns: the keys of the run in plan.json, one column for each axis of the study, the
    number of launches, and the exit code of the last job (empty if no job of the run has ended)."""
    epochs: pandas.DataFrame
    """One row for each completed epoch."""
    windows: pandas.DataFrame
    """One row for each step window. The time of a step is `wall_s / steps`. `warmup` marks start-up costs."""
    evals: pandas.DataFrame
    """One row for each evaluation."""


def load(folder: Union[str, Path]) -> Frames:
    """Returns the records of a plan folder. Also accepts the path of one file results.jsonl.

    Records that do not count, because a later launch repeated their steps, are left out. If the runs are imported or a
    log format reads their output, the records are those of the last `dlscale collect`. A warning is printed if
    results.sqlite is missing or does not contain all launches. Raises FileNotFoundError if the folder has no plan.json,
    and ImportError if pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("dlscale.load() needs pandas: pip install pandas") from error

    path = Path(folder)
    if path.is_file():
        runs, launches = [{"run_id": path.stem, "launches": 1}], [(path.stem, 1, read_records(path))]
    else:
        runs, launches = _read_plan(path)
    rows: dict[str, list[Record]] = {"epoch": [], "step_window": [], "eval": []}
    for run_id, number, records in launches:
        for record in records:
            if record["record"] in rows:
                rows[record["record"]].append({"run_id": run_id, "launch": number, **_flat(record)})

    def frame(of: list[Record], columns: list[str]) -> pandas.DataFrame:
        found = pandas.DataFrame(of)
        return found.reindex(columns=[*columns, *(name for name in found.columns if name not in columns)])

    return Frames(frame(runs, RUN_COLUMNS), frame(rows["epoch"], EPOCH_COLUMNS),
                  frame(rows["step_window"], WINDOW_COLUMNS), frame(rows["eval"], EVAL_COLUMNS))


def _flat(record: Record) -> Record:
    """Returns the members of a record. Members of an object get names such as parts.forward.mean."""
    flat: Record = {}
    for key, value in record.items():
        if key == "record":
            continue
        if isinstance(value, dict):
            flat.update({f"{key}.{name}": member for name, member in _flat(value).items()})
        else:
            flat[key] = value
    return flat


def _read_plan(folder: Path) -> tuple[list[Record], list[tuple[str, int, list[Record]]]]:
    """Returns the runs of a plan, and the records of their launches that count."""
    plan_file = folder / "plan.json"
    if not plan_file.is_file():
        raise FileNotFoundError(f"{plan_file} does not exist; pass a folder that dlscale plan has written")
    plan = json.loads(plan_file.read_text(encoding="utf-8"))
    logged = {run["run_id"] for run in plan["runs"]
              if run.get("log_format", RECORDS_FORMAT) != RECORDS_FORMAT or _is_imported(folder, run["run_id"])}
    collected = read_database(folder, logged) if logged else {}
    results = result_launches(folder)
    runs, launches = [], []
    for planned in plan["runs"]:
        run_id = planned["run_id"]
        row: Record = {key: value for key, value in planned.items() if not isinstance(value, (dict, list))}
        row.update({name: _number(value) for name, value in planned.get("point", {}).items() if name not in row})
        folders = launch_folders(folder / "runs" / run_id)
        row["launches"] = len(folders)
        row["exit_code"] = _exit_code(folder / "logs" / f"{run_id}.end")
        runs.append(row)
        if run_id in logged:
            counted = collected.get(run_id, [])
        else:
            counted = _counted([(number, read_records(path / RESULTS))
                                for number, path in folders if (path / RESULTS).is_file()], results.get(run_id))
        launches.extend((run_id, number, records) for number, records in counted)
    return runs, launches


def _is_imported(folder: Path, run_id: str) -> bool:
    return (folder / "runs" / run_id / "launch-1" / IMPORT_RECORD).is_file()


def _counted(launches: list[tuple[int, list[Record]]],
             result: Optional[ResultLaunch]) -> list[tuple[int, list[Record]]]:
    """Returns the records that count, of the launch that gives the result and of the launches that it resumed.

    The result comes from the launch in `result`. If `result` is None, or if a later launch that was not collected
    recorded training, the result comes from the last launch that recorded training.
    """
    by_number = dict(launches)
    number = max((number for number, records in launches
                  if any(record["record"] != "run_start" for record in records)), default=0)
    if result is not None and number <= result.last and result.number in by_number:
        number = result.number
    until, first_epoch = float("inf"), float("inf")
    chain: list[tuple[int, list[Record]]] = []
    while number in by_number:
        records = by_number[number]
        kept = counted_before(records, until, first_epoch)
        chain.append((number, kept))
        epochs = [record["epoch"] for record in kept if isinstance(record.get("epoch"), int)]
        first_epoch = min([first_epoch, *epochs])
        start = next((record for record in records if record["record"] == "run_start"), {})
        name = LAUNCH_FOLDER.fullmatch(start.get("resumed_from") or "")
        earlier = int(name.group(1)) if name else 0
        if earlier >= number:
            break
        number, until = earlier, min(until, start.get("resumed_step", 0))
    return chain[::-1]


def _exit_code(file: Path) -> Any:
    """Returns the last exit code in the log of the job script, or None."""
    code = None
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else ():
        try:
            code = json.loads(line).get("exit_code", code)
        except (ValueError, AttributeError):
            continue
    return code


def _number(text: str) -> Any:
    """Returns the value of an axis as a number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
