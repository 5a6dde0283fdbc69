# SPDX-License-Identifier: Apache-2.0
"""Tests of the callbacks, with stand-ins for the frameworks.

No test runs the frameworks themselves. The scripts in examples/external need them.
"""
import importlib
import sys
import types

import pytest

import dlscale


@pytest.fixture
def framework(monkeypatch):
    """Returns a function that imports a module of the package while a stand-in of its framework is installed."""
    def load(module, framework_module, **members):
        parts = framework_module.split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(**members) if end == len(parts)
                                else types.ModuleType(name))
        monkeypatch.delitem(sys.modules, f"dlscale.{module}", raising=False)
        loaded = importlib.import_module(f"dlscale.{module}")
        monkeypatch.delitem(sys.modules, f"dlscale.{module}")
        return loaded
    return load


@pytest.mark.parametrize("module, message", [
    ("lightning", "dlscale.lightning needs lightning or pytorch_lightning"),
    ("huggingface", "dlscale.huggingface needs transformers"),
])
def test_a_missing_framework_is_named(monkeypatch, module, message):
    for name in ("lightning", "lightning.pytorch", "pytorch_lightning", "transformers", f"dlscale.{module}"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"dlscale.{module}")
    with pytest.raises(ImportError, match=message):
        importlib.import_module(f"dlscale.{module}")


def test_the_package_imports_no_framework(script):
    code, out, _ = script.run("""
import dlscale
print([name for name in ("torch", "lightning", "transformers", "pandas") if name in sys.modules])
""")
    assert (code, out) == (0, "[]\n")


def test_lightning_records_steps_and_validations(tmp_path, framework, records, clock):
    module = framework("lightning", "lightning.pytorch", Callback=object)
    trainer = types.SimpleNamespace(
        current_epoch=0, global_step=0, num_training_batches=5, accumulate_grad_batches=2, callback_metrics={},
        optimizers=[types.SimpleNamespace(param_groups=[{"lr": 0.5}])])
    callback = module.RecordSteps(accuracy="val_acc", loss="val_loss", folder=tmp_path, units={"mfu": "%"})
    assert callback.run is None
    callback.on_train_start(trainer, None)
    for trainer.current_epoch in range(2):
        callback.on_train_epoch_start(trainer, None)
        for index in range(5):
            clock.sleep(1)
            trainer.global_step += index in (1, 3, 4)
            callback.run.measured(mfu=40)
            callback.on_train_batch_end(trainer, None, {"loss": 2.0}, [[0] * 3], index)
        callback.on_validation_start(trainer, None)
        clock.sleep(30)
        trainer.callback_metrics.update(val_acc=0.5, val_loss=1.5)
        callback.on_validation_end(trainer, None)
        callback.on_train_epoch_end(trainer, None)
    callback.on_train_end(trainer, None)
    assert callback.run is None
    assert all(window["measured"] == {"mfu": 40} for window in records(tmp_path, "step_window"))
    assert records(tmp_path, "run_start")[0]["measured_units"] == {"mfu": "%"}
    epochs = records(tmp_path, "epoch")
    assert [(e["steps"], e["samples"], e["wall_s"], e["train_loss"], e["lr"]) for e in epochs] == [
        (3, 5, 5, 4.0, 0.5)] * 2
    assert [(e["epoch"], e["accuracy"], e["loss"]) for e in records(tmp_path, "eval")] == [(0, 0.5, 1.5), (1, 0.5, 1.5)]


def test_lightning_resumes_where_the_trainer_resumes(launch, framework, records):
    module = framework("lightning", "lightning.pytorch", Callback=object)
    with dlscale.run(folder=launch(1)) as run:
        for _ in run.steps([[0]] * 10):
            pass
    trainer = types.SimpleNamespace(current_epoch=1, global_step=10, num_training_batches=1,
                                    accumulate_grad_batches=1, optimizers=[])
    callback = module.RecordSteps(folder=(folder := launch(2)))
    callback.on_train_start(trainer, None)
    callback.on_train_epoch_start(trainer, None)
    trainer.global_step += 1
    callback.on_train_batch_end(trainer, None, None, [0], 0)
    callback.on_train_end(trainer, None)
    assert records(folder, "run_start")[0]["resumed_step"] == 10
    assert [(w["epoch"], w["first_step"]) for w in records(folder, "step_window")] == [(1, 10)]


class Loader:
    """Loader of 10 samples in batches of 4."""
    dataset = range(10)

    def __len__(self):
        return 3


@pytest.mark.parametrize("world_size, samples", [(1, 10), (2, 12)])
def test_huggingface_records_steps_and_evaluations(tmp_path, framework, records, clock, world_size, samples):
    module = framework("huggingface", "transformers", TrainerCallback=object)
    args = types.SimpleNamespace(train_batch_size=4, gradient_accumulation_steps=2, world_size=world_size,
                                 dataloader_drop_last=False)
    state = types.SimpleNamespace(epoch=0, global_step=0)
    control = types.SimpleNamespace(should_evaluate=False, should_save=False)
    callback = module.RecordSteps(folder=tmp_path, units={"mfu": "%"})
    assert callback.run is None
    callback.on_train_begin(args, state, control, train_dataloader=Loader())
    for _ in range(2):
        callback.on_epoch_begin(args, state, control)
        for step in range(2):
            callback.on_step_begin(args, state, control)
            clock.sleep(1)
            state.global_step += 1
            callback.run.measured(mfu=40)
            control.should_evaluate = step == 0
            callback.on_step_end(args, state, control)
            callback.on_log(args, state, control, logs={"loss": 2.5, "learning_rate": 0.1})
            if control.should_evaluate:
                clock.sleep(30)
                callback.on_evaluate(args, state, control, metrics={"eval_loss": 1.5, "eval_accuracy": 0.5,
                                                                    "eval_runtime": 30})
        callback.on_epoch_end(args, state, control)
    callback.on_log(args, state, control, logs={"train_runtime": 64})
    callback.on_train_end(args, state, control)
    assert callback.run is None
    assert all(window["measured"] == {"mfu": 40} for window in records(tmp_path, "step_window"))
    assert records(tmp_path, "run_start")[0]["measured_units"] == {"mfu": "%"}
    epochs = records(tmp_path, "epoch")
    assert [(e["epoch"], e["steps"], e["samples"], e["wall_s"]) for e in epochs] == [
        (0, 2, samples, 2), (1, 2, samples, 2)]
    assert [(e["epoch"], e["accuracy"], e["wall_s"]) for e in records(tmp_path, "eval")] == [(0, 0.5, 30), (1, 0.5, 30)]


def test_accelerate_states_when_a_step_is_complete(tmp_path, records):
    import dlscale.accelerate

    accelerator = types.SimpleNamespace(sync_gradients=False)
    with dlscale.run(folder=tmp_path) as run:
        for index, _ in enumerate(dlscale.accelerate.steps(run, accelerator, [[0]] * 6)):
            accelerator.sync_gradients = index % 3 == 2
    assert records(tmp_path, "epoch")[0]["steps"] == 2
