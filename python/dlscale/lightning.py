# SPDX-License-Identifier: Apache-2.0
"""Callback that records a training of Lightning.

    Trainer(callbacks=[dlscale.lightning.RecordSteps(accuracy="val_acc", loss="val_loss")])
"""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Optional

from dlscale.batch import Samples, samples_of
from dlscale.recorder import Run, run

if TYPE_CHECKING:
    from lightning.pytorch import Callback
else:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        try:
            from pytorch_lightning import Callback
        except ImportError as error:
            raise ImportError("dlscale.lightning needs lightning or pytorch_lightning") from error


class RecordSteps(Callback):
    """Records the optimizer steps of trainer.fit() and the results of each validation.

    `accuracy` and `loss` are the names under which the module logs the results of a validation. `samples` is described
    in Run.steps(). Other parameters are those of dlscale.run(). The epoch and the step at which a training resumes
    come from the trainer.
    """

    def __init__(self, *, accuracy: Optional[str] = None, loss: Optional[str] = None, samples: Samples = None,
                 **parameters: Any) -> None:
        super().__init__()
        self._accuracy, self._loss, self._samples, self._parameters = accuracy, loss, samples, parameters
        self._run: Optional[Run] = None
        self._done_steps = 0
        self._pauses = contextlib.ExitStack()

    @property
    def run(self) -> Optional[Run]:
        """Recorder of the current training, for example to call measured(). None while no training is in progress."""
        return self._run

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._done_steps = trainer.global_step
        self._run = run(start_epoch=trainer.current_epoch, start_step=trainer.global_step, **self._parameters)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        if self._run is not None:
            batches = trainer.num_training_batches
            steps = -(-int(batches) // trainer.accumulate_grad_batches) if batches != float("inf") else 0
            self._run.begin_epoch(trainer.current_epoch, steps)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if self._run is None:
            return
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        optimizer = trainer.optimizers[0] if trainer.optimizers else None
        # Lightning divides the loss by the number of batches of a step.
        self._run.log(loss=None if loss is None else loss * trainer.accumulate_grad_batches,
                      lr=optimizer.param_groups[0]["lr"] if optimizer is not None else None)
        is_complete = trainer.global_step > self._done_steps
        self._done_steps = trainer.global_step
        self._run.step(samples_of(batch, self._samples), is_complete=is_complete)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        if self._run is not None:
            self._pauses.enter_context(self._run.pause())

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if self._run is None:
            return
        self._pauses.close()
        values = [None if name is None else trainer.callback_metrics.get(name) for name in (self._accuracy, self._loss)]
        if any(value is not None for value in values):
            self._run.evaluated(accuracy=values[0], loss=values[1])

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if self._run is not None:
            self._run.end_epoch()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        if self._run is not None:
            self._run.close()
            self._run = None
