# SPDX-License-Identifier: Apache-2.0
"""Tests that no step counts twice if a launch resumes an earlier launch."""
import dlscale


def train(folder, epochs, steps, **start):
    """Trains `epochs` epochs, the first with `steps` steps and the others with 10 steps, in windows of 2 steps."""
    with dlscale.run(folder=folder, window_steps=2, **start) as run:
        for epoch in range(epochs):
            for _ in run.steps([[0]] * (steps if epoch == 0 else 10)):
                pass
            run.evaluated(accuracy=0.5)


def counted(plan):
    """Returns the steps that count, as (launch, step)."""
    windows = dlscale.load(plan).windows
    return [(row.launch, step) for row in windows.itertuples()
            for step in range(row.first_step, row.first_step + row.steps)]


def write_plan(folder):
    (folder / "plan.json").write_text('{"runs": [{"run_id": "net-g1", "point": {}}]}')


def test_a_launch_resumes_at_the_beginning_of_an_epoch(tmp_path, launch, records):
    train(launch(1), epochs=2, steps=10)
    train(second := launch(2), epochs=1, steps=10, start_epoch=1)
    start = records(second, "run_start")[0]
    assert (start["resumed_from"], start["resumed_step"]) == ("launch-1", 10)
    assert records(second, "epoch")[0]["epoch"] == 1
    write_plan(tmp_path / "plan")
    assert counted(tmp_path / "plan") == [(1, step) for step in range(10)] + [(2, step) for step in range(10, 20)]
    frames = dlscale.load(tmp_path / "plan")
    assert list(zip(frames.epochs.launch, frames.epochs.epoch)) == [(1, 0), (2, 1)]
    assert list(zip(frames.evals.launch, frames.evals.epoch)) == [(1, 0), (2, 1)]


def test_a_launch_resumes_after_the_last_epoch_of_the_earlier_launch(launch, records):
    train(launch(1), epochs=2, steps=10)
    train(second := launch(2), epochs=1, steps=10, start_epoch=2)
    assert records(second, "run_start")[0]["resumed_step"] == 20
    assert records(second, "step_window")[0]["first_step"] == 20


def test_a_launch_resumes_within_an_epoch(tmp_path, launch, records):
    train(launch(1), epochs=1, steps=10)
    train(second := launch(2), epochs=2, steps=4, start_epoch=0, start_step=6)
    assert records(second, "run_start")[0]["resumed_step"] == 6
    # This launch knows only a part of the epoch, so it has no record of the epoch.
    assert [epoch["epoch"] for epoch in records(second, "epoch")] == [1]
    write_plan(tmp_path / "plan")
    assert counted(tmp_path / "plan") == [(1, step) for step in range(6)] + [(2, step) for step in range(6, 20)]


def test_a_launch_can_resume_an_older_launch_than_the_last(tmp_path, launch, records):
    train(launch(1), epochs=3, steps=10)
    train(launch(2), epochs=1, steps=10, start_epoch=2)
    train(third := launch(3), epochs=1, steps=10, start_epoch=1)  # an older checkpoint than that of launch 2
    assert records(third, "run_start")[0]["resumed_from"] == "launch-1"
    write_plan(tmp_path / "plan")
    assert counted(tmp_path / "plan") == [(1, step) for step in range(10)] + [(3, step) for step in range(10, 20)]


def test_a_launch_without_records_is_not_resumed(launch, records):
    train(launch(1), epochs=1, steps=10)
    launch(2)
    train(third := launch(3), epochs=1, steps=10, start_epoch=1)
    assert records(third, "run_start")[0]["resumed_from"] == "launch-1"


def test_a_fresh_start_counts_alone(tmp_path, launch, records):
    train(launch(1), epochs=1, steps=10)
    train(second := launch(2), epochs=1, steps=10)
    assert "resumed_from" not in records(second, "run_start")[0]
    write_plan(tmp_path / "plan")
    assert {number for number, _ in counted(tmp_path / "plan")} == {2}


def test_ranks_that_torchrun_restarts_continue_the_launch(tmp_path, launch, records):
    train(launch(1), epochs=2, steps=10)
    train(second := launch(2), epochs=2, steps=10, start_epoch=1)
    train(second, epochs=1, steps=10, start_epoch=2)
    start, = records(second, "run_start")
    assert (start["resumed_from"], start["resumed_step"]) == ("launch-1", 10)
    assert [epoch["epoch"] for epoch in records(second, "epoch")] == [1, 2]
    write_plan(tmp_path / "plan")
    assert counted(tmp_path / "plan") == [(1, step) for step in range(10)] + [(2, step) for step in range(10, 30)]


def test_a_resumed_training_without_dlscale_continues_its_file(tmp_path, records):
    train(tmp_path, epochs=2, steps=10)
    train(tmp_path, epochs=1, steps=10, start_epoch=1)
    assert [w["first_step"] for w in records(tmp_path, "step_window")] == list(range(0, 20, 2))


def test_an_epoch_without_earlier_records_is_reported(tmp_path, launch, records, capsys):
    train(folder := launch(1), epochs=1, steps=10, start_epoch=3)
    assert "no earlier launch recorded epoch 2, so steps count from 0; pass start_step=" in capsys.readouterr().err
    assert records(folder, "step_window")[0]["first_step"] == 0
