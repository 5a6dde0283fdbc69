# SPDX-License-Identifier: Apache-2.0
"""Exchanges numbers between the ranks of a launch."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Optional

from dlscale.device import Device, imported_torch

Gather = Callable[[list[float]], Sequence[Sequence[float]]]

# Variables in which launchers state the rank of a process and the number of ranks. SLURM_NTASKS is not listed because
# it is also set in a batch script that starts a single process.
LAUNCHER_VARIABLES = [
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
]
# Kind of device whose tensors a backend of torch.distributed exchanges.
DEVICE_OF_BACKEND = {"gloo": "cpu", "mpi": "cpu", "nccl": "cuda", "ucc": "cuda", "xccl": "xpu"}


def launched_rank() -> tuple[int, int]:
    """Returns the rank of this process and the number of ranks, as the launcher states them."""
    for rank, size in LAUNCHER_VARIABLES:
        try:
            return int(os.environ[rank]), int(os.environ[size])
        except (KeyError, ValueError):
            continue
    return 0, 1


def launched_nodes(world_size: int) -> Optional[int]:
    """Returns the number of nodes, as far as the launcher states it, or None."""
    for ranks_of_node in ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"):
        ranks = os.environ.get(ranks_of_node, "")
        if ranks.isdigit() and int(ranks) > 0:
            return -(-world_size // int(ranks))
    nodes = os.environ.get("SLURM_STEP_NUM_NODES", "1" if world_size == 1 else "")
    return int(nodes) if nodes.isdigit() else None


class Ranks:
    """Ranks of a launch.

    The ranks exchange numbers through `gather` if it is given. Otherwise they use torch.distributed if the script has
    initialised it. Without both, each rank knows its own numbers only.
    """

    def __init__(self, device: Device, gather: Optional[Gather] = None, group: Any = None, rank: Optional[int] = None,
                 world_size: Optional[int] = None) -> None:
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size must be given together")
        if rank is not None and world_size is not None and not 0 <= rank < world_size:
            raise ValueError(f"rank: must be at least 0 and less than world_size (got {rank} of {world_size})")
        self._device = device
        self._gather = gather
        self._group = group
        self._place = None if rank is None or world_size is None else (rank, world_size)

    def _distributed(self) -> Any:
        torch = imported_torch()
        if self._gather is not None or torch is None:
            return None
        distributed = getattr(torch, "distributed", None)
        is_up = distributed is not None and distributed.is_available() and distributed.is_initialized()
        return distributed if is_up else None

    def place(self) -> tuple[int, int]:
        """Returns the rank of this process and the number of ranks."""
        distributed = self._distributed()
        if distributed is not None:
            return distributed.get_rank(self._group), distributed.get_world_size(self._group)
        return self._place or launched_rank()

    def exchanges(self) -> bool:
        """Returns true if the numbers of all ranks can be exchanged."""
        return self._gather is not None or self._distributed() is not None

    def all_gather(self, values: list[float]) -> list[list[float]]:
        """Returns the numbers of all ranks. **Collective.** Each rank must pass equally many numbers."""
        rank, size = self.place()
        if size == 1 or rank < 0 or not self.exchanges():
            return [values]
        if self._gather is not None:
            rows = [[float(value) for value in row] for row in self._gather(values)]
            if len(rows) != size or any(len(row) != len(values) for row in rows):
                raise ValueError(f"gather: must return one list of {len(values)} numbers for each of the {size} ranks")
            return rows
        distributed = self._distributed()
        torch = imported_torch()
        device = self._exchange_device(distributed)
        own = torch.tensor(values, dtype=torch.float64, device=device)
        every = torch.empty(size * len(values), dtype=torch.float64, device=device)
        distributed.all_gather_into_tensor(every, own, group=self._group)
        return every.reshape(size, len(values)).tolist()

    def _exchange_device(self, distributed: Any) -> Any:
        backend = str(distributed.get_backend(self._group))
        names = [part.split(":")[-1] for part in backend.split(",")]  # "gloo" or "cpu:gloo,cuda:nccl"
        kinds = [DEVICE_OF_BACKEND.get(name, "cuda") for name in names]
        if "cpu" in kinds:
            return "cpu"
        return self._device.gpu or kinds[0]
