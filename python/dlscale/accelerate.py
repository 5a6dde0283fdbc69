# SPDX-License-Identifier: Apache-2.0
"""Records the steps of a training loop that uses Hugging Face Accelerate.

    with dlscale.run() as run:
        for batch in dlscale.accelerate.steps(run, accelerator, loader):
            with accelerator.accumulate(model):
                ...
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Optional, TypeVar

from dlscale.batch import Samples
from dlscale.recorder import Run

Batch = TypeVar("Batch")


def steps(run: Run, accelerator: Any, loader: Iterable[Batch], *, samples: Samples = None,
          epoch: Optional[int] = None) -> Iterator[Batch]:
    """Yields the batches of one epoch, as Run.steps() does. **Collective.**

    `accelerator` is the Accelerator of the script. An optimizer step is complete when it synchronises the gradients,
    so the number of batches per optimizer step need not be stated.
    """
    return run.steps(loader, samples=samples, epoch=epoch, completes_step=lambda: bool(accelerator.sync_gradients))
