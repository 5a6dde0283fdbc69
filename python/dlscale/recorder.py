# SPDX-License-Identifier: Apache-2.0
"""Records the optimizer steps of a training in step windows and epochs, as docs/record-format.md describes.

Each rank counts its steps. At the end of a window, all ranks exchange a few numbers, and rank 0 writes one line for all
of them. The number of steps of a window follows from exchanged numbers, so that all ranks end a window after the same
step. Windows become longer as the launch proceeds. The cost of the exchange and the size of the file thus stay small
for short and for long steps, and a killed launch loses little.
"""
from __future__ import annotations

import contextlib
import math
import platform
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Optional, TypeVar, Union

from dlscale.batch import Samples, samples_of
from dlscale.device import Device, imported_torch
from dlscale.ranks import Gather, Ranks, launched_nodes
from dlscale.results import RESULTS, Record, ResultsFile, counted_before, launch_at, read_records, resume, warn

Batch = TypeVar("Batch")

WARMUP_STEPS = 10           # steps of the first window, which includes start-up costs
SHORTEST_WINDOW_S = 1.0     # time of the following windows, until the launch becomes old
LONGEST_WINDOW_S = 60.0
WINDOW_SHARE = 0.05         # a window takes at most this share of the time since the start
EXCHANGES_PER_WINDOW = 200  # a window takes at least as long as this number of exchanges
MOST_WINDOW_STEPS = 1_000_000
HOST_BYTES = 64
MEASURED_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
# Names of record keys and table columns. A quantity that the script measures must have another name.
OTHER_KEYS = frozenset(("n", "gpus", "nodes", "global_batch", "batch_per_gpu", "run_id", "launch", "line", "time",
                        "epoch", "first_step", "steps", "step", "warmup", "samples", "wall_s", "lr", "loss",
                        "train_loss", "parts", "bytes_sent", "collectives", "comm_busy_s", "comm_wait_s",
                        "peak_memory_bytes"))


class Exchanged(NamedTuple):
    """Numbers that a rank passes to the other ranks at the end of a window."""
    steps: float
    samples: float
    wall_s: float
    loss_sum: float
    losses: float           # number of losses in loss_sum
    peak_memory_bytes: float
    exchange_s: float       # duration of the previous exchange
    elapsed_s: float        # time since the first step of the launch
    is_last: float          # 1 at the end of an epoch


class MeasuredSums:
    """Sums of the quantities that the script measured in a window, by name."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, int]] = {}

    def add(self, name: str, value: float) -> None:
        known, count = self._sums.get(name, (0.0, 0))
        self._sums[name] = (known + value, count + 1)

    def take(self) -> dict[str, float]:
        """Returns the means by name, and removes all sums."""
        means = {name: known / count for name, (known, count) in self._sums.items()}
        self._sums.clear()
        return means


class LossSum:
    """Sum of the losses of a window. Losses on a GPU are added there, without waiting for the GPU."""

    def __init__(self) -> None:
        self._sum: Any = None
        self.count = 0

    def add(self, loss: Any) -> None:
        if hasattr(loss, "detach"):
            loss = loss.detach()
        if self._sum is None:
            # The addition copies a tensor, because the script may reuse the memory of its loss.
            self._sum = loss.float() + 0 if hasattr(loss, "detach") else loss + 0
        elif hasattr(loss, "detach") and hasattr(self._sum, "detach"):
            self._sum.add_(loss)
        else:
            self._sum = self._sum + loss
        self.count += 1

    def take(self) -> tuple[float, int]:
        """Returns the sum and the number of losses, and starts again at 0. Waits for the device of the losses."""
        taken = (0.0 if self._sum is None else float(self._sum), self.count)
        self._sum, self.count = None, 0
        return taken


class Window:
    """Steps of this rank since the end of the previous window, with their time."""

    def __init__(self) -> None:
        self.steps = 0
        self.samples = 0
        self.loss = LossSum()
        self.measured = MeasuredSums()
        self._wall_s = 0.0
        self._since: Optional[float] = None  # None while the clock is stopped

    def start_clock(self) -> None:
        if self._since is None:
            self._since = time.perf_counter()

    def stop_clock(self) -> None:
        if self._since is not None:
            self._wall_s += time.perf_counter() - self._since
            self._since = None

    @property
    def is_running(self) -> bool:
        return self._since is not None

    def take_wall_s(self) -> float:
        """Returns the time of the window in seconds. A running clock continues with the next window."""
        if self._since is not None:
            self.stop_clock()
            self.start_clock()
        taken, self._wall_s = self._wall_s, 0.0
        return taken


class EpochSums:
    """Sums over the windows of an epoch, over all ranks."""

    def __init__(self) -> None:
        self.steps = 0
        self.samples = 0
        self.wall_s = 0.0
        self.loss_sum = 0.0
        self.loss_steps = 0

    def add(self, window: Record) -> None:
        self.steps += window["steps"]
        self.samples += window["samples"]
        self.wall_s += window["wall_s"]
        if "train_loss" in window:
            self.loss_sum += window["train_loss"] * window["steps"]
            self.loss_steps += window["steps"]


def environment(device: Device) -> dict[str, str]:
    """Returns the versions and the GPU that run_start records."""
    known = {"python": platform.python_version()}
    torch = imported_torch()
    if torch is not None:
        known["torch"] = str(torch.__version__)
        if device.gpu is not None:
            known.update(cuda=str(torch.version.cuda), gpu=str(torch.cuda.get_device_name(device.gpu)))
    return known


class Run:
    """Records of one launch of a training. dlscale.run() describes the parameters."""

    def __init__(self, *, folder: Union[str, Path, None], start_epoch: int, start_step: Optional[int],
                 window_steps: Optional[int], units: Optional[Mapping[str, str]], device: Device,
                 ranks: Ranks) -> None:
        self._units = dict(units or {})
        for name in self._units:
            _check_measured_name(name)
        for name, value in (("start_epoch", start_epoch), ("start_step", start_step)):
            if value is not None and value < 0:
                raise ValueError(f"{name}: must not be negative (got {value})")
        if window_steps is not None and window_steps < 1:
            raise ValueError(f"window_steps: must be at least 1 (got {window_steps})")
        self._folder = Path.cwd() if folder is None else Path(folder).absolute()
        if not self._folder.is_dir():
            raise NotADirectoryError(f"folder: {self._folder} is not a folder")
        self._device = device
        self._ranks = ranks
        self._fixed_steps = window_steps
        self._start_epoch, self._start_step = start_epoch, start_step
        self._is_resumed = start_epoch > 0 or bool(start_step)
        self._next_epoch = start_epoch
        self._epoch = start_epoch
        self._epoch_sums: Optional[EpochSums] = None
        self._window = Window()
        self._measured: dict[str, float] = {}
        self._window_steps = window_steps or WARMUP_STEPS
        self._is_warmup = True
        self._is_first_exchange = True
        self._is_alone = False
        self._lr: Optional[float] = None
        self._steps_per_epoch = 0
        self._file: Optional[ResultsFile] = None
        self._first_step = 0
        self._leaves_out_epoch: Optional[int] = None
        self._waiting: list[tuple[str, Record]] = []
        self._exchange_s = 0.0
        self._began: Optional[float] = None
        self._began_at = 0.0
        self._is_closed = False

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None:
            self.close()
        elif self._file is not None:
            # The other ranks may not have failed, so this rank must not wait for them.
            self._file.close()
            self._is_closed = True

    # The training loop

    def steps(self, loader: Iterable[Batch], *, samples: Samples = None, accumulation_steps: int = 1,
              epoch: Optional[int] = None, completes_step: Optional[Callable[[], bool]] = None) -> Iterator[Batch]:
        """Yields the batches of one epoch. Each batch counts as one optimizer step. **Collective.**

        The step of a batch ends when the loop asks for the next batch, or leaves the loop by `break`. `samples` is the
        number of samples of this rank in a batch, or a function that returns it for a batch. By default it is the first
        dimension of the arrays in the batch. With `accumulation_steps` = N, N batches form one optimizer step.
        Alternatively `completes_step` is a function that returns true after the last batch of an optimizer step.
        `epoch` is the number of the epoch, by default the number after the previous epoch.
        """
        if accumulation_steps < 1:
            raise ValueError(f"accumulation_steps: must be at least 1 (got {accumulation_steps})")
        self.begin_epoch(epoch, 0 if completes_step else _steps_of(loader, accumulation_steps))
        begun = self._epoch_sums
        batches, is_complete = 0, True
        try:
            for batch in loader:
                count = samples_of(batch, samples)
                yield batch
                if self._epoch_sums is not begun:
                    raise RuntimeError("the loop over run.steps() continued after the next epoch had begun")
                batches += 1
                is_complete = completes_step() if completes_step else batches % accumulation_steps == 0
                self.step(count, is_complete=is_complete)
            if not is_complete:
                self.step(0)
        except GeneratorExit:
            # A loop that is left by `break` or by an error ends here. The error may have occurred on this rank alone,
            # so the epoch is ended later, in a call that all ranks make.
            if self._epoch_sums is begun:
                self._window.samples += count
                self._window.steps += 1
                with contextlib.suppress(Exception):
                    self._device.synchronize()
                self._window.stop_clock()
            raise
        self.end_epoch()

    def log(self, *, loss: Any = None, lr: Optional[float] = None) -> None:
        """Records the training loss (a number or a tensor) and the learning rate of the current step."""
        if loss is not None:
            self._window.loss.add(loss)
        if lr is not None:
            self._lr = float(lr)

    def measured(self, **values: float) -> None:
        """Records further quantities of the current step under their names, for example `mfu=41.5`.

        The record of a window contains the mean of the values that were passed during the window. Values that are not
        finite are left out, for example the gradient norm of a step whose gradients overflow. Only the values of rank 0
        are recorded. Other ranks may call this function, but need not. If a value is a tensor on a GPU, the call waits
        for the GPU. dlscale.run(units={"mfu": "%"}) states the units.
        """
        for name, value in values.items():
            _check_measured_name(name)
            number = float(value)
            if math.isfinite(number):
                self._window.measured.add(name, number)

    def evaluated(self, *, accuracy: Optional[float] = None, loss: Optional[float] = None,
                  samples: Optional[int] = None, wall_s: Optional[float] = None, **metrics: float) -> None:
        """Records the result of an evaluation of the model, after the latest epoch or within it.

        `accuracy` is the share of correct samples, from 0 to 1. `samples` is the number of evaluated samples, and
        `wall_s` the duration of the evaluation in seconds. Other results are recorded under their names, for example
        `perplexity=12.5`. Only rank 0 records them. Other ranks may call this function, but need not.
        """
        if accuracy is not None:
            accuracy = float(accuracy)
            if accuracy < 0 or accuracy > 1:
                raise ValueError(f"accuracy: must be between 0 and 1 (got {accuracy}); divide percentages by 100")
        count = int(samples or 0)
        is_known = accuracy is not None and math.isfinite(accuracy)
        record: Record = {"epoch": self._epoch, "time": time.time(), "samples": count,
                          "correct": round(accuracy * count) if is_known else 0, "accuracy": accuracy}
        if loss is not None:
            record["loss"] = float(loss)
        if wall_s is not None:
            record["wall_s"] = float(wall_s)
        if metrics:
            record["metrics"] = {name: float(value) for name, value in metrics.items()}
        self._write("eval", record)

    @contextlib.contextmanager
    def pause(self) -> Iterator[None]:
        """Stops the clock of the step window, for work within an epoch that is not training."""
        was_running = self._window.is_running
        if was_running:
            self._device.synchronize()
            self._window.stop_clock()
        try:
            yield
        finally:
            if was_running:
                self._device.synchronize()
                self._window.start_clock()

    # Parts of steps(), for training loops that belong to a framework

    def begin_epoch(self, epoch: Optional[int] = None, steps: int = 0) -> None:
        """Begins an epoch with `steps` optimizer steps, 0 if the number is unknown. **Collective.**"""
        if self._is_closed:
            raise RuntimeError("the records of this run are closed")
        self.end_epoch()
        self._epoch = self._next_epoch if epoch is None else epoch
        self._steps_per_epoch = steps
        self._epoch_sums = EpochSums()
        self._is_alone = False
        self._device.synchronize()
        if self._began is None:
            self._began, self._began_at = time.perf_counter(), time.time()
        self._window.start_clock()

    def step(self, samples: int, *, is_complete: bool = True) -> None:
        """Counts `samples` samples of this rank and, if `is_complete`, the end of an optimizer step. **Collective.**"""
        window = self._window
        window.samples += samples
        if not is_complete:
            return
        window.steps += 1
        if window.steps >= self._window_steps:
            self._end_window(is_last=False)

    def end_epoch(self) -> None:
        """Ends the current epoch, if one has begun. **Collective.**"""
        if self._epoch_sums is None:
            return
        self._end_window(is_last=True)
        sums, self._epoch_sums = self._epoch_sums, None
        self._window.stop_clock()
        self._window.take_wall_s()
        self._next_epoch = self._epoch + 1
        if sums.steps > 0 and self._epoch != self._leaves_out_epoch:
            record: Record = {"epoch": self._epoch, "time": time.time(), "wall_s": sums.wall_s, "steps": sums.steps,
                              "samples": sums.samples}
            if sums.loss_steps > 0:
                record["train_loss"] = sums.loss_sum / sums.loss_steps
            if self._lr is not None:
                record["lr"] = self._lr
            self._write("epoch", record)

    def close(self) -> None:
        """Ends the current epoch and closes the file of records. **Collective.**"""
        if self._is_closed:
            return
        self.end_epoch()
        if self._waiting:  # evaluations without training
            _, size = self._ranks.place()
            self._began_at = self._began_at or time.time()
            self._open(size, [])
        self._is_closed = True
        if self._file is not None:
            self._file.close()

    # Windows

    def _end_window(self, is_last: bool) -> None:
        self._device.synchronize()
        rows, hosts = self._exchange(is_last)
        rank, size = self._ranks.place()
        steps = int(rows[0].steps)
        wall_s = max(row.wall_s for row in rows)
        if rank == 0 and steps > 0:
            if self._file is None:
                self._open(size, hosts)
            self._write_window(rows, steps, wall_s, size)
        if steps > 0:
            self._is_warmup = False
            self._window_steps = self._fixed_steps or self._next_steps(rows, wall_s / steps)

    def _exchange(self, is_last: bool) -> tuple[list[Exchanged], list[str]]:
        """Returns the numbers of all ranks, and in the first exchange their hosts. **Collective.**"""
        window = self._window
        wall_s = window.take_wall_s()
        loss_sum, losses = window.loss.take()
        self._measured = window.measured.take()
        elapsed_s = time.perf_counter() - self._began if self._began is not None else 0.0
        own = Exchanged(window.steps, window.samples, wall_s, loss_sum, losses, self._device.peak_memory_bytes(),
                        self._exchange_s, elapsed_s, float(is_last))
        window.steps = 0
        # Ranks may have different numbers of batches. A rank whose epoch has ended takes part in no further exchange of
        # the epoch, so each remaining rank completes the epoch alone. Samples that a remaining rank other than rank 0
        # processes alone count in the next epoch.
        if self._is_alone:
            if self._ranks.place()[0] == 0:
                window.samples = 0
            return [own], []
        window.samples = 0
        host = socket.gethostname().encode()[:HOST_BYTES].ljust(HOST_BYTES, b"\0") if self._is_first_exchange else b""
        self._is_first_exchange = False
        before = time.perf_counter()
        gathered = self._ranks.all_gather([*map(float, own), *map(float, host)])
        self._exchange_s = time.perf_counter() - before
        rows = [Exchanged(*row[:len(own)]) for row in gathered]
        hosts = [bytes(int(value) for value in row[len(own):]).rstrip(b"\0").decode(errors="replace")
                 for row in gathered] if host else []
        self._is_alone = not is_last and any(row.is_last for row in rows)
        return rows, hosts

    def _next_steps(self, rows: list[Exchanged], step_s: float) -> int:
        """Returns the number of steps of the next window. All ranks compute the same number."""
        if self._is_alone or len({row.steps for row in rows}) > 1:
            return self._window_steps
        # The last rank to arrive at an exchange does not wait, so its exchange is the shortest.
        cheapest_s = min(row.exchange_s for row in rows)
        aged_s = min(max(SHORTEST_WINDOW_S, WINDOW_SHARE * rows[0].elapsed_s), LONGEST_WINDOW_S)
        window_s = max(aged_s, EXCHANGES_PER_WINDOW * cheapest_s)
        return max(1, min(MOST_WINDOW_STEPS, round(window_s / max(step_s, 1e-9))))

    def _write_window(self, rows: list[Exchanged], steps: int, wall_s: float, size: int) -> None:
        samples = sum(int(row.samples) for row in rows)
        if size > 1 and not self._ranks.exchanges():
            samples *= size
        record: Record = {"epoch": self._epoch, "first_step": self._first_step, "steps": steps,
                          "warmup": self._is_warmup, "time": time.time(), "samples": samples, "wall_s": wall_s,
                          "parts": {}}
        if self._lr is not None:
            record["lr"] = self._lr
        losses = sum(row.losses for row in rows)
        if losses > 0:
            record["train_loss"] = sum(row.loss_sum for row in rows) / losses
        peak = max(row.peak_memory_bytes for row in rows)
        if peak > 0:
            record["peak_memory_bytes"] = int(peak)
        if self._measured:
            record["measured"] = self._measured
        if self._file is not None:
            self._file.append("step_window", record)
        self._first_step += steps
        if self._epoch_sums is not None:
            self._epoch_sums.add(record)

    # The file of records

    def _open(self, size: int, hosts: list[str]) -> None:
        """Creates the file and writes the record run_start. Keeps an existing file under another name.

        A file exists if torchrun restarts the ranks of a launch, and if a script runs several times without dlscale.
        Its records are copied if they count, which is the case if this training resumes the earlier one.
        """
        launch = launch_at(self._folder)
        path = self._folder / RESULTS
        old = _set_aside(path) if path.exists() else []
        self._file = ResultsFile(path)
        start: Record = {"schema_version": 1, "run_id": launch.run_id if launch else self._folder.name,
                         "launch": launch.number if launch else 1, "time": self._began_at, "world_size": size,
                         "environment": environment(self._device)}
        copied = []
        if self._is_resumed:
            resumed = resume(launch, old, self._start_epoch, self._start_step)
            self._first_step = resumed.step
            self._leaves_out_epoch = self._start_epoch if resumed.is_within_epoch else None
            start.update(resumed_from=resumed.source, resumed_step=resumed.step)
            if resumed.is_in_place:
                copied = counted_before(old, resumed.step, self._start_epoch)
                before = next((record for record in old if record["record"] == "run_start"), {})
                start.update(resumed_from=before.get("resumed_from", ""), resumed_step=before.get("resumed_step", 0))
        nodes = len(set(hosts)) if len(hosts) == size else launched_nodes(size)
        if len(hosts) == size:
            start["hosts"] = hosts
        if nodes is not None:
            start["nodes"] = nodes
        if self._steps_per_epoch > 0:
            start["steps_per_epoch"] = self._steps_per_epoch
        if self._units:
            start["measured_units"] = self._units
        # Without this record, tables show the planned number of nodes. A record without nodes would mean one node.
        if nodes is not None or self._is_resumed:
            self._file.append("run_start", start)
        elif self._units:
            warn("the number of nodes is unknown, so the units of measured quantities are not recorded")
        for record in copied:
            self._file.append(record.pop("record"), record)
        if size > 1 and not self._ranks.exchanges():
            warn(f"torch.distributed is not initialised, so the times are those of rank 0, and all {size} ranks are "
                 "assumed to have batches of equal size; pass gather= to record all ranks")
        self._flush()

    def _write(self, kind: str, record: Record) -> None:
        """Writes a record of rank 0. Records before the first window are written with the first window."""
        if self._ranks.place()[0] != 0 or self._is_closed:
            return
        if self._file is None:
            self._waiting.append((kind, record))
        else:
            self._file.append(kind, record)

    def _flush(self) -> None:
        if self._file is not None:
            for kind, record in self._waiting:
                self._file.append(kind, record)
            self._waiting.clear()


def _check_measured_name(name: str) -> None:
    """Raises ValueError if a quantity cannot have this name. Format files have the same rule for names."""
    if not MEASURED_NAME.fullmatch(name):
        raise ValueError(f"{name!r}: may contain only letters, digits and . _ -, and must begin with a letter, a digit "
                         "or _")
    if name in OTHER_KEYS:
        raise ValueError(f"{name}: another value of the records has this name; choose another name")


def _set_aside(path: Path) -> list[Record]:
    """Renames a file of records to the first free name results-<n>.jsonl. Returns its records."""
    records = read_records(path)
    number = 1
    while (kept := path.with_name(f"results-{number}.jsonl")).exists():
        number += 1
    path.rename(kept)
    warn(f"{path} has records of an earlier training; renamed it to {kept.name}")
    return records


def _steps_of(loader: Any, accumulation_steps: int) -> int:
    """Returns the number of optimizer steps of a loader, or 0 if the loader does not know its length."""
    try:
        return -(-len(loader) // accumulation_steps)
    except TypeError:
        return 0


def run(*, folder: Union[str, Path, None] = None, start_epoch: int = 0, start_step: Optional[int] = None,
        window_steps: Optional[int] = None, gather: Optional[Gather] = None, group: Any = None,
        rank: Optional[int] = None, world_size: Optional[int] = None, units: Optional[Mapping[str, str]] = None) -> Run:
    """Returns the recorder of this launch. Rank 0 writes its records to `results.jsonl`.

    `folder` is the folder of this file, by default the working directory, which is the launch folder in a job of
    dlscale. A launch that resumes from a checkpoint states `start_epoch`, the number of the epoch in which it begins.
    If it begins within an epoch, it also states `start_step`, the number of optimizer steps before the checkpoint.
    Steps that an earlier launch made after the checkpoint then do not count twice.

    `window_steps` is the number of steps of a window. By default, windows take from one second to one minute.

    The ranks exchange their times through torch.distributed, in `group` if it is given. For other programs, `gather` is
    a function that takes a list of numbers and returns the lists of all ranks, for example the method `allgather` of a
    communicator of mpi4py. `rank` and `world_size` replace the values of the launcher.

    `units` are the units of the quantities that the script passes to `measured()`, by name.
    """
    device = Device()
    return Run(folder=folder, start_epoch=start_epoch, start_step=start_step, window_steps=window_steps, units=units,
               device=device, ranks=Ranks(device, gather, group, rank, world_size))
