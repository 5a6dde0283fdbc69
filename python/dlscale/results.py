# SPDX-License-Identifier: Apache-2.0
"""Writes and reads files of records, and finds the launch folder and the earlier launches of a run."""
from __future__ import annotations

import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

RESULTS = "results.jsonl"
LAUNCH_FOLDER = re.compile(r"launch-([1-9][0-9]*)")
Record = dict[str, Any]


def warn(message: str) -> None:
    print(f"dlscale: {message}", file=sys.stderr, flush=True)


def _expressible(value: Any) -> Any:
    """Replaces numbers that JSON cannot express by None, as the format requires."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _expressible(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_expressible(member) for member in value]
    return value


def line_of(kind: str, record: Record) -> bytes:
    """Returns the record as one line whose first key names the kind of the record."""
    text = json.dumps(_expressible({"record": kind, **record}), separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


class ResultsFile:
    """File to which one process appends records.

    Each record is written by one write(2), so a killed process leaves complete lines. If a record cannot be written,
    for example because the disk is full, a warning is printed and recording stops. The training continues.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: Optional[int] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)

    def append(self, kind: str, record: Record) -> None:
        if self._descriptor is None:
            return
        line = line_of(kind, record)
        try:
            written = os.write(self._descriptor, line)
            if written < len(line):
                os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - written)
                raise OSError(f"only {written} of {len(line)} bytes were written")
        except OSError as error:
            warn(f"{self.path}: {error}; no more records are written")
            self.close()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def read_records(path: Union[str, Path]) -> list[Record]:
    """Returns the records of a file. Lines that are not records and an incomplete last line are left out."""
    records = []
    with open(path, "rb") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and isinstance(record.get("record"), str):
                records.append(record)
    return records


class Launch(NamedTuple):
    """Launch folder of a plan folder: runs/<run_id>/launch-<number>."""
    run_id: str
    number: int
    folder: Path


def launch_at(folder: Path) -> Optional[Launch]:
    """Returns the launch to which a folder belongs, or None if it is not a launch folder of a plan folder."""
    folder = folder.absolute()
    name = LAUNCH_FOLDER.fullmatch(folder.name)
    if name is None or folder.parent.parent.name != "runs":
        return None
    return Launch(folder.parent.name, int(name.group(1)), folder)


def launch_folders(run_folder: Path) -> list[tuple[int, Path]]:
    """Returns the numbers and folders of the launches of a run, in ascending order."""
    found = []
    for folder in run_folder.iterdir() if run_folder.is_dir() else ():
        name = LAUNCH_FOLDER.fullmatch(folder.name)
        if name is not None and folder.is_dir():
            found.append((int(name.group(1)), folder))
    return sorted(found)


def is_window(record: Record) -> bool:
    return record["record"] == "step_window" and all(isinstance(record.get(key), int)
                                                     for key in ("epoch", "first_step", "steps"))


def windows_in(records: list[Record]) -> list[Record]:
    return [record for record in records if is_window(record)]


def counted_before(records: list[Record], step: float, epoch: float) -> list[Record]:
    """Returns the windows, epochs and evaluations that count if a later training resumes after `step` in `epoch`.

    Infinite numbers mean that no later training resumes.
    """
    return [record for record in records
            if (is_window(record) and record["first_step"] + record["steps"] <= step)
            or (record["record"] in ("epoch", "eval") and record.get("epoch", epoch) < epoch)]


class Resumed(NamedTuple):
    """Position from which a launch continues a run."""
    step: int               # number of optimizer steps before this launch
    source: str             # earlier launch whose steps before `step` count, or "" if no launch recorded them
    is_in_place: bool       # true if the steps before `step` are those of the same launch before a restart
    is_within_epoch: bool   # true if steps of the epoch in which this launch begins are recorded


class _Earlier(NamedTuple):
    folder: str  # name of the launch folder, or "" for the same launch before a restart
    windows: list[Record]

    @property
    def first(self) -> int:
        return int(self.windows[0]["first_step"])

    @property
    def end(self) -> int:
        return int(self.windows[-1]["first_step"] + self.windows[-1]["steps"])


def resume(launch: Optional[Launch], old: list[Record], epoch: int, step: Optional[int]) -> Resumed:
    """Returns the position of a training that begins in `epoch`, after `step` optimizer steps of the run.

    `old` are the records of the same launch before a restart. If `step` is None, the number comes from the earlier
    records. The source is the latest launch that trained up to `step`. A launch that began after `step` is not part
    of the result.
    """
    earlier = []
    for number, folder in launch_folders(launch.folder.parent) if launch is not None else ():
        if launch is not None and number < launch.number and (folder / RESULTS).is_file():
            earlier.append(_Earlier(folder.name, windows_in(read_records(folder / RESULTS))))
    earlier.append(_Earlier("", windows_in(old)))
    earlier = [each for each in earlier if each.windows]
    if step is None:
        step = _first_step(earlier, epoch)
    begun = [each for each in earlier if each.first <= step]
    reached = [each for each in begun if step <= each.end]
    source = (reached or begun or [None])[-1]
    is_within = any(window["epoch"] == epoch and window["first_step"] < step
                    for each in earlier for window in each.windows)
    return Resumed(step, source.folder if source else "", source is not None and source.folder == "", is_within)


def _first_step(earlier: list[_Earlier], epoch: int) -> int:
    """Returns the number of the first step of an epoch, from earlier records."""
    every = [window for each in earlier for window in each.windows]
    own = [window["first_step"] for window in every if window["epoch"] == epoch]
    if own:
        return int(min(own))
    before = [window["first_step"] + window["steps"] for window in every if window["epoch"] == epoch - 1]
    if not before:
        warn(f"no earlier launch recorded epoch {epoch - 1}, so steps count from 0; pass start_step=")
    return int(max(before, default=0))
