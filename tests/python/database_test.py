# SPDX-License-Identifier: Apache-2.0
"""Tests of the frames of runs whose records come from results.sqlite, which `dlscale collect` writes."""
import json
import os
import pathlib
import sqlite3
import subprocess

import pytest

import dlscale

pandas = pytest.importorskip("pandas")

STUDY = """
[study]
name = "printing"
repeats = 1
[matrix]
gpus = [1]
batch_per_gpu = [32]
[trainer]
command = "python3 train.py --batch-size {{batch_per_gpu}}"
read = { line = ['(?<samples_per_s>[0-9.]+) samples/s', 'epoch (?<epoch>[0-9]+) accuracy (?<accuracy>[0-9.]+)'] }
"""

# Each line of the log ends an epoch, and states the utilisation in its last steps and in the whole epoch.
EPOCH_FORMAT = r"""
name = "mine"
summary = "a line for each epoch"
rates = "all samples"
cross_check = "nothing"
[recognise]
any = [{ starts = "epoch " }]
[measured.mfu]
[[line]]
name = "steps"
pattern = '^epoch (?<epoch>\d+) step (?<step>\d+) took (?<s>(?&NUM)) s, mfu (?<mfu>(?&NUM)) (?<mean>(?&NUM))'
steps = { step = "step", wall_s = "s", samples = "64", measured = { mfu = "mfu" } }
epoch = { epoch = "epoch", wall_s = "s", measured = { mfu = "mean" } }
"""


@pytest.fixture
def call(tmp_path):
    """Returns a function that runs the program dlscale in the temporary folder."""
    program = os.path.abspath(os.environ["DLSCALE_PROGRAM"])

    def run(*arguments):
        done = subprocess.run([program, *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        assert done.returncode == 0, done.stdout
    return run


@pytest.fixture
def planned(tmp_path, call):
    """Returns the folder of the only run of a plan."""
    (tmp_path / "train.py").write_text("")
    (tmp_path / "study.toml").write_text(STUDY)
    call("plan", "study.toml", "-o", "out")
    run_id = json.loads((tmp_path / "out" / "plan.json").read_text())["runs"][0]["run_id"]
    return tmp_path / "out" / "runs" / run_id


def print_launch(run: pathlib.Path, number, samples_per_s, exit_code):
    """Writes the output of a launch and the records of its job script."""
    launch = run / f"launch-{number}"
    launch.mkdir(parents=True)
    (launch / "stdout").write_text(f"{samples_per_s} samples/s\n" * 2 + "epoch 0 accuracy 0.5\n")
    begun = {"event": "described", "job": run.name, "run_id": run.name, "launch_number": number}
    ended = {"event": "ended", "job": run.name, "run_id": run.name, "time": 100 * number, "exit_code": exit_code}
    with open(run.parents[1] / "logs" / f"{run.name}.end", "a") as log:
        log.write(json.dumps(begun) + "\n" + json.dumps(ended) + "\n")


def test_records_come_from_the_completed_launch(tmp_path, call, planned, capfd):
    print_launch(planned, 1, 100, exit_code=1)
    print_launch(planned, 2, 2000, exit_code=0)
    call("collect", "out", "--no-tables")
    frames = dlscale.load(tmp_path / "out")
    assert list(frames.runs.launches) == [2]
    assert list(frames.windows.launch) == [2, 2] and list(frames.windows.run_id) == [planned.name] * 2
    assert list(frames.windows.samples / frames.windows.wall_s) == pytest.approx([2000, 2000])
    assert not frames.windows[~frames.windows.warmup].empty
    assert list(frames.evals.launch) == [2] and list(frames.evals.accuracy) == [0.5]
    assert capfd.readouterr().err == ""


FORMAT = """
name = "printing"
summary = "output of train.py"
rates = "nothing"
cross_check = "nothing"
recognise.any = [{ starts = "step " }]
[measured.mfu]
unit = "%"
[[line]]
pattern = '^step (?<step>[0-9]+) took (?<s>(?&NUM)) s, mfu (?<mfu>(?&NUM))'
steps = { step = "step", wall_s = "s", measured = { mfu = "mfu" } }
"""


def test_measured_quantities_of_a_log_are_columns(tmp_path, call):
    (tmp_path / "printing.toml").write_text(FORMAT)
    (tmp_path / "train.log").write_text("step 1 took 2 s, mfu 40\nstep 2 took 1 s, mfu 42.5\n")
    call("collect", "train.log", "-o", "out", "--format", "printing.toml", "--set", "gpus=1", "--set", "global_batch=8",
         "--no-tables")
    windows = dlscale.load(tmp_path / "out").windows
    assert list(windows.wall_s) == [2, 1] and list(windows["measured.mfu"]) == [40, 42.5]


def test_imported_files_of_records_are_read_from_the_database(tmp_path, call, capfd):
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 3):
            pass
    with open(tmp_path / "results.jsonl", "a") as file:
        file.write('{"record":"run_stop","outcome":"Completed"}\n')
    call("collect", "results.jsonl", "-o", "out", "--format", "dlscale", "--set", "gpus=1", "--no-tables")
    windows = dlscale.load(tmp_path / "out").windows
    assert list(windows.steps) == [3]
    assert capfd.readouterr().err == ""
    (tmp_path / "out" / "results.sqlite").unlink()
    assert dlscale.load(tmp_path / "out").windows.empty
    assert "results.sqlite does not exist" in capfd.readouterr().err


def test_a_folder_that_was_not_collected_gives_a_warning(tmp_path, planned, capfd):
    print_launch(planned, 1, 2000, exit_code=0)
    frames = dlscale.load(tmp_path / "out")
    assert frames.windows.empty and list(frames.runs.launches) == [1]
    err = capfd.readouterr().err
    assert "results.sqlite does not exist" in err and "run dlscale collect" in err


def test_launches_after_the_last_collect_give_a_warning(tmp_path, call, planned, capfd):
    print_launch(planned, 1, 2000, exit_code=0)
    call("collect", "out", "--no-tables")
    print_launch(planned, 2, 3000, exit_code=0)
    assert list(dlscale.load(tmp_path / "out").windows.launch) == [1, 1]
    assert "lacks launches that began after the last collect (number of launches: 1)" in capfd.readouterr().err


def test_a_database_of_another_version_gives_a_warning(tmp_path, planned, capfd):
    with sqlite3.connect(tmp_path / "out" / "results.sqlite") as database:
        database.execute("CREATE TABLE launch (run_id TEXT, launch INTEGER)")
    assert dlscale.load(tmp_path / "out").windows.empty
    err = capfd.readouterr().err
    assert "no such table" in err and "with the dlscale program of the same version" in err


def test_quantities_of_a_window_and_of_an_epoch_in_one_line_stay_apart(tmp_path, call):
    (tmp_path / "train.py").write_text("")
    (tmp_path / "mine.toml").write_text(EPOCH_FORMAT)
    lines = [line for line in STUDY.splitlines() if not line.startswith("read =")]
    (tmp_path / "study.toml").write_text("\n".join([*lines, 'read = "mine.toml"', ""]))
    call("plan", "study.toml", "-o", "out")
    run_id = json.loads((tmp_path / "out" / "plan.json").read_text())["runs"][0]["run_id"]
    run = tmp_path / "out" / "runs" / run_id
    print_launch(run, 1, 100, exit_code=0)
    output = "epoch 0 step 10 took 2 s, mfu 40 30\nepoch 1 step 20 took 2 s, mfu 42 31\n"
    (run / "launch-1" / "stdout").write_text(output)
    call("collect", "out", "--no-tables")
    frames = dlscale.load(tmp_path / "out")
    assert list(frames.windows["measured.mfu"]) == [40, 42]
    assert list(frames.epochs["measured.mfu"]) == [30, 31]
