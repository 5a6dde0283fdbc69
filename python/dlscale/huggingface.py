# SPDX-License-Identifier: Apache-2.0
"""Callback that records a training of the Trainer of Hugging Face.

    Trainer(..., callbacks=[dlscale.huggingface.RecordSteps()])
"""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Optional

from dlscale.recorder import Run, run

if TYPE_CHECKING:
    from transformers import TrainerCallback
else:
    try:
        from transformers import TrainerCallback
    except ImportError as error:
        raise ImportError("dlscale.huggingface needs transformers") from error


class RecordSteps(TrainerCallback):
    """Records the optimizer steps of Trainer.train() and the results of each evaluation.

    `accuracy` is the name of the accuracy in the results of compute_metrics(). Other parameters are those of
    dlscale.run(). The epoch and the step at which a training resumes come from the Trainer. The recorded training loss
    is the mean of the losses that the Trainer logs (logging_steps).
    """

    def __init__(self, *, accuracy: str = "eval_accuracy", **parameters: Any) -> None:
        self._accuracy, self._parameters = accuracy, parameters
        self._run: Optional[Run] = None
        self._steps = 0         # steps of an epoch, 0 if unknown
        self._samples = 0       # samples of this rank in a step
        self._last_samples = 0  # samples of this rank in the last step of an epoch
        self._pauses = contextlib.ExitStack()

    @property
    def run(self) -> Optional[Run]:
        """Recorder of the current training, for example to call measured(). None while no training is in progress."""
        return self._run

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._measure_steps(args, kwargs.get("train_dataloader"))
        self._run = run(start_epoch=int((state.epoch or 0) + 1e-6), start_step=state.global_step, **self._parameters)

    def _measure_steps(self, args: Any, loader: Any) -> None:
        """Computes the number of samples of a step, which the Trainer does not pass to callbacks."""
        batch = args.train_batch_size
        self._samples = self._last_samples = batch * args.gradient_accumulation_steps
        try:
            batches = len(loader)
        except TypeError:
            return
        self._steps = max(1, -(-batches // args.gradient_accumulation_steps))
        # Several ranks have full batches only. The last batch of a single rank may be smaller.
        samples = batches * batch
        if args.world_size == 1 and not args.dataloader_drop_last and hasattr(loader.dataset, "__len__"):
            samples = min(samples, len(loader.dataset))
        self._last_samples = samples - (self._steps - 1) * self._samples

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._run is not None:
            self._run.begin_epoch(steps=self._steps)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._pauses.close()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._run is None:
            return
        is_last = self._steps > 0 and state.global_step % self._steps == 0
        self._run.step(self._last_samples if is_last else self._samples)
        if control.should_evaluate or control.should_save:
            self._pauses.enter_context(self._run.pause())

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[dict[str, Any]] = None,
               **kwargs: Any) -> None:
        if self._run is not None and logs is not None and "loss" in logs:
            self._run.log(loss=logs["loss"], lr=logs.get("learning_rate"))

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Optional[dict[str, Any]] = None,
                    **kwargs: Any) -> None:
        if self._run is None or metrics is None:
            return
        values = {"accuracy": metrics.get(self._accuracy), "loss": metrics.get("eval_loss")}
        if any(value is not None for value in values.values()):
            self._run.evaluated(**values, wall_s=metrics.get("eval_runtime"))

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._pauses.close()
        if self._run is not None:
            self._run.end_epoch()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._pauses.close()
        if self._run is not None:
            self._run.close()
            self._run = None
