# SPDX-License-Identifier: Apache-2.0
"""Waits for the device of a process and measures its memory, through torch if the script has imported it."""
from __future__ import annotations

import sys
from typing import Any


def imported_torch() -> Any:
    """Returns the module torch if the script has imported it, else None."""
    return sys.modules.get("torch")


class Device:
    """Device on which this process computes."""

    def __init__(self) -> None:
        self._gpu: Any = None

    @property
    def gpu(self) -> Any:
        """CUDA device on which this process has the most memory, or None if it uses no CUDA device."""
        torch = imported_torch()
        if self._gpu is None and torch is not None and hasattr(torch, "cuda") and torch.cuda.is_initialized():
            # A script may use a device without making it the current device. Communication on the current device
            # would then put all ranks on the same GPU.
            current = torch.cuda.current_device()
            used = {index: torch.cuda.memory_allocated(index) for index in range(torch.cuda.device_count())}
            most = max(used, key=lambda index: (used[index], index == current))
            if used[most] == 0:
                return torch.device("cuda", current)
            self._gpu = torch.device("cuda", most)
        return self._gpu

    def synchronize(self) -> None:
        """Waits until the device has finished its work."""
        torch = imported_torch()
        if self.gpu is not None:
            torch.cuda.synchronize(self.gpu)
        elif torch is not None and hasattr(torch, "xpu") and torch.xpu.is_initialized():
            torch.xpu.synchronize()

    def peak_memory_bytes(self) -> int:
        """Returns the peak memory on the GPU, or of the process if it uses no GPU. 0 means unknown."""
        if self.gpu is not None:
            return int(imported_torch().cuda.max_memory_reserved(self.gpu))
        try:
            with open("/proc/self/status", encoding="ascii") as file:
                for line in file:
                    if line.startswith("VmHWM:"):
                        return int(line.split()[1]) * 1024
        except OSError:
            pass  # only Linux has this file
        return 0
