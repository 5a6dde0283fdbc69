# SPDX-License-Identifier: Apache-2.0
"""Tests of the records that one rank writes."""
import json
import math
import os
import signal

import pytest

import dlscale


def train(run, steps=25, samples=4, loss=None):
    for _ in run.steps([[0] * samples] * steps):
        if loss is not None:
            run.log(loss=loss)


def test_an_epoch_has_windows_and_sums(tmp_path, records):
    with dlscale.run(folder=tmp_path, window_steps=10) as run:
        train(run, loss=2.0)
    windows = records(tmp_path, "step_window")
    assert [(w["first_step"], w["steps"], w["samples"], w["warmup"]) for w in windows] == [
        (0, 10, 40, True), (10, 10, 40, False), (20, 5, 20, False)]
    assert all(w["train_loss"] == 2.0 and w["parts"] == {} and w["wall_s"] > 0 for w in windows)
    epoch, = records(tmp_path, "epoch")
    assert (epoch["epoch"], epoch["steps"], epoch["samples"], epoch["train_loss"]) == (0, 25, 100, 2.0)
    assert epoch["wall_s"] == pytest.approx(sum(w["wall_s"] for w in windows))


def test_steps_count_over_all_epochs(tmp_path, records):
    with dlscale.run(folder=tmp_path, window_steps=100) as run:
        train(run, steps=3)
        train(run, steps=2)
    assert [(w["epoch"], w["first_step"], w["steps"]) for w in records(tmp_path, "step_window")] == [
        (0, 0, 3), (1, 3, 2)]


def test_the_first_record_describes_the_launch(launch, records):
    folder = launch(2, "net-g1-b4")
    with dlscale.run(folder=folder) as run:
        train(run)
    start = records(folder)[0]
    assert start["record"] == "run_start"
    assert (start["run_id"], start["launch"], start["world_size"], start["nodes"]) == ("net-g1-b4", 2, 1, 1)
    assert start["steps_per_epoch"] == 25 and "resumed_step" not in start


def test_windows_take_a_second_and_longer_in_an_old_launch(tmp_path, records, clock):
    with dlscale.run(folder=tmp_path) as run:
        for step, _ in enumerate(run.steps([[0]] * 100_000)):
            clock.sleep(0.02 if step < 10 else 0.01)
    windows = records(tmp_path, "step_window")
    assert [w["steps"] for w in windows[:3]] == [10, 50, 100]
    assert windows[0]["warmup"] and not windows[1]["warmup"]
    assert windows[-2]["wall_s"] == pytest.approx(47, abs=3)  # a twentieth of the time since the start
    assert len(windows) < 110


def test_a_window_has_at_most_a_minute_and_at_least_a_step(tmp_path, records, clock):
    with dlscale.run(folder=tmp_path) as run:
        for step, _ in enumerate(run.steps([[0]] * 400)):
            clock.sleep(7 if step < 380 else 100)
    assert [w["steps"] for w in records(tmp_path, "step_window")][-3:] == [1, 1, 1]
    assert max(w["wall_s"] for w in records(tmp_path, "step_window") if w["steps"] > 1) < 1000


def test_the_last_learning_rate_is_recorded(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        for step, _ in enumerate(run.steps([[0]] * 3)):
            run.log(lr=step)
    assert records(tmp_path, "epoch")[0]["lr"] == 2
    assert "train_loss" not in records(tmp_path, "epoch")[0]


def test_losses_in_memory_that_is_used_again_are_added(tmp_path, records):
    torch = pytest.importorskip("torch")
    memory = torch.zeros((), requires_grad=True)
    with dlscale.run(folder=tmp_path) as run:
        for step, _ in enumerate(run.steps([[0]] * 4)):
            memory.data.fill_(step)
            run.log(loss=memory)
    assert records(tmp_path, "epoch")[0]["train_loss"] == 1.5


def test_a_loss_that_is_not_finite_is_null(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        train(run, loss=math.nan)
    assert records(tmp_path, "step_window")[0]["train_loss"] is None


def test_several_batches_form_a_step(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0, 0]] * 10, accumulation_steps=4):
            pass
    epoch, = records(tmp_path, "epoch")
    assert (epoch["steps"], epoch["samples"]) == (3, 20)
    assert records(tmp_path, "run_start")[0]["steps_per_epoch"] == 3


def test_the_script_can_state_when_a_step_is_complete(tmp_path, records):
    done = []
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 9, completes_step=lambda: len(done) % 3 == 0):
            done.append(1)
    assert records(tmp_path, "epoch")[0]["steps"] == 3


def test_evaluations_follow_their_epoch(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        for accuracy in (0.25, 0.5):
            train(run)
            run.evaluated(accuracy=accuracy, loss=1, samples=8, wall_s=2, top5_accuracy=0.75)
    first, second = records(tmp_path, "eval")
    assert (first["epoch"], first["accuracy"], first["correct"], first["samples"]) == (0, 0.25, 2, 8)
    assert (second["epoch"], second["loss"], second["wall_s"]) == (1, 1, 2)
    assert second["metrics"] == {"top5_accuracy": 0.75}


def test_an_evaluation_without_accuracy_has_none(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        train(run)
        run.evaluated(loss=3)
    assert records(tmp_path, "eval")[0]["accuracy"] is None


def test_an_evaluation_before_the_training_is_kept(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        run.evaluated(accuracy=0.1)
    assert records(tmp_path, "eval")[0]["accuracy"] == 0.1


def test_a_pause_does_not_count(tmp_path, records, clock):
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 2):
            clock.sleep(1)
            with run.pause():
                clock.sleep(30)
    assert records(tmp_path, "epoch")[0]["wall_s"] == 2


def test_time_between_epochs_does_not_count(tmp_path, records, clock):
    with dlscale.run(folder=tmp_path) as run:
        for _ in range(2):
            for _ in run.steps([[0]] * 25):
                clock.sleep(1)
            clock.sleep(30)
    assert [epoch["wall_s"] for epoch in records(tmp_path, "epoch")] == [25, 25]


def test_loading_a_batch_counts(tmp_path, records, clock):
    def loader():
        for _ in range(3):
            clock.sleep(2)
            yield [0]

    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps(loader()):
            clock.sleep(1)
    assert records(tmp_path, "epoch")[0]["wall_s"] == 9


def test_a_loop_that_ends_early_counts_its_steps(tmp_path, records, clock):
    with dlscale.run(folder=tmp_path) as run:
        for step, _ in enumerate(run.steps([[0]] * 100)):
            clock.sleep(1)
            if step == 4:
                break
        clock.sleep(30)
        train(run)
    first, second = records(tmp_path, "epoch")
    assert (first["steps"], first["wall_s"], second["epoch"]) == (5, 5, 1)


def test_an_error_of_the_script_passes(tmp_path, records):
    with pytest.raises(ZeroDivisionError):
        with dlscale.run(folder=tmp_path, window_steps=2) as run:
            for step, _ in enumerate(run.steps([[0]] * 9)):
                if step == 5:
                    raise ZeroDivisionError
    assert [w["steps"] for w in records(tmp_path, "step_window")] == [2, 2]
    assert records(tmp_path, "epoch") == []


def test_a_killed_script_leaves_complete_lines(script, records):
    process = script.start("""
import dlscale
with dlscale.run(window_steps=1) as run:
    for batch in run.steps([0, 0] for _ in iter(int, 1)):
        print(flush=True) if run._first_step == 500 else None
""")
    process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    windows = records(script.folder, "step_window")
    assert len(windows) >= 500
    assert [w["first_step"] for w in windows] == list(range(len(windows)))
    assert (script.folder / "results.jsonl").read_bytes().endswith(b"\n")


def test_a_full_disk_ends_the_records_and_not_the_training(script, records):
    code, out, err = script.run("""
import resource, signal
import dlscale
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
with dlscale.run(window_steps=1) as run:
    for batch in run.steps([[0]] * 50):
        pass
print("trained")
""")
    assert (code, out) == (0, "trained\n")
    assert err.count("no more records are written") == 1
    assert 0 < len(records(script.folder)) < 20


def test_recording_needs_no_other_package(script, records):
    code, _, err = script.run("""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "numpy", "pandas"):
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
import dlscale
with dlscale.run() as run:
    for batch in run.steps([[1, 2]] * 3):
        run.log(loss=1)
""", options=["-S"])
    assert (code, err) == (0, "")
    assert records(script.folder, "epoch")[0]["samples"] == 6


def test_a_second_training_in_the_same_folder_keeps_the_first(tmp_path, records, capsys):
    for steps in (3, 4, 5):
        with dlscale.run(folder=tmp_path) as run:
            train(run, steps=steps)
    assert records(tmp_path, "epoch")[0]["steps"] == 5
    kept = [json.loads((tmp_path / f"results-{number}.jsonl").read_text().splitlines()[-1]) for number in (1, 2)]
    assert [epoch["steps"] for epoch in kept] == [3, 4]
    assert "has records of an earlier training; renamed it to results-1.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("parameters, message", [
    ({"start_epoch": -1}, "start_epoch: must not be negative"),
    ({"start_step": -1}, "start_step: must not be negative"),
    ({"window_steps": 0}, "window_steps: must be at least 1"),
    ({"rank": 1}, "rank and world_size must be given together"),
    ({"rank": 2, "world_size": 2}, "rank: must be at least 0 and less than world_size"),
])
def test_wrong_parameters_are_errors(tmp_path, parameters, message):
    with pytest.raises(ValueError, match=message):
        dlscale.run(folder=tmp_path, **parameters)


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(NotADirectoryError, match="nowhere is not a folder"):
        dlscale.run(folder=tmp_path / "nowhere")


@pytest.mark.parametrize("accuracy", [-0.1, 76.1])
def test_an_accuracy_in_percent_is_an_error(tmp_path, accuracy):
    with pytest.raises(ValueError, match="accuracy: must be between 0 and 1"):
        dlscale.run(folder=tmp_path).evaluated(accuracy=accuracy)


def test_a_closed_run_cannot_continue(tmp_path):
    with dlscale.run(folder=tmp_path) as run:
        train(run)
    with pytest.raises(RuntimeError, match="the records of this run are closed"):
        train(run)


def test_epochs_cannot_be_nested(tmp_path):
    with pytest.raises(RuntimeError, match="continued after the next epoch had begun"):
        with dlscale.run(folder=tmp_path) as run:
            for _ in run.steps([[0]] * 2):
                train(run)


def test_the_record_of_a_window_has_the_means_of_measured_quantities(tmp_path, records):
    with dlscale.run(folder=tmp_path, window_steps=2, units={"mfu": "%"}) as run:
        for step, _ in enumerate(run.steps([[0]] * 4)):
            run.measured(mfu=40 + step)
            if step == 3:
                run.measured(grad_norm=1.5)
    assert records(tmp_path, "run_start")[0]["measured_units"] == {"mfu": "%"}
    assert [w["measured"] for w in records(tmp_path, "step_window")] == [
        {"mfu": 40.5}, {"mfu": 42.5, "grad_norm": 1.5}]


def test_the_mean_of_a_measured_quantity_leaves_out_values_that_are_not_finite(tmp_path, records):
    with dlscale.run(folder=tmp_path, window_steps=3) as run:
        for norm, _ in zip((1.0, math.nan, 2.0, math.inf, math.nan, -math.inf), run.steps([[0]] * 6)):
            run.measured(grad_norm=norm, mfu=40)
    assert [w["measured"] for w in records(tmp_path, "step_window")] == [{"grad_norm": 1.5, "mfu": 40}, {"mfu": 40}]


def test_windows_without_measured_quantities_have_no_such_key(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        train(run)
    assert all("measured" not in record for record in records(tmp_path))
    assert "measured_units" not in records(tmp_path)[0]


def test_a_measured_quantity_must_not_have_the_name_of_another_value(tmp_path):
    with pytest.raises(ValueError, match="gpus: another value of the records has this name"):
        dlscale.run(folder=tmp_path, units={"gpus": "%"})
    with dlscale.run(folder=tmp_path) as run:
        with pytest.raises(ValueError, match="lr: another value of the records has this name"):
            run.measured(lr=0.1)


@pytest.mark.parametrize("name", ["", "grad norm", ".norm", "-norm", "größe", "norm/layer", "norm\n"])
def test_the_name_of_a_measured_quantity_has_letters_digits_and_few_other_characters(tmp_path, name):
    message = "may contain only letters, digits and . _ -, and must begin with a letter, a digit or _"
    with pytest.raises(ValueError, match=message):
        dlscale.run(folder=tmp_path, units={name: "%"})
    with dlscale.run(folder=tmp_path) as run:
        with pytest.raises(ValueError, match=message):
            run.measured(**{name: 1})


def test_the_name_of_a_measured_quantity_can_have_dots_and_hyphens(tmp_path, records):
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]]):
            run.measured(**{"layer.0-norm": 1, "_0": 2})
    assert records(tmp_path, "step_window")[0]["measured"] == {"layer.0-norm": 1, "_0": 2}
