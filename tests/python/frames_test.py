# SPDX-License-Identifier: Apache-2.0
"""Tests of the frames of a plan folder."""
import json
import sqlite3

import pytest

import dlscale

pandas = pytest.importorskip("pandas")


def write_plan(folder, **points):
    folder.mkdir(exist_ok=True)
    runs = [{"run_id": run_id, "repetition": 1, "gpus": 2, "point": point} for run_id, point in points.items()]
    (folder / "plan.json").write_text(json.dumps({"schema_version": 1, "runs": runs}))


def write_records(folder, *records):
    folder.mkdir(parents=True)
    (folder / "results.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def window(first_step, **more):
    return {"record": "step_window", "epoch": 0, "first_step": first_step, "steps": 5, "samples": 40, "wall_s": 0.5,
            "parts": {"forward": {"mean": 0.2}}, **more}


def test_runs_have_their_axes_and_exit_codes(tmp_path):
    write_plan(tmp_path, a={"model": "mlp", "lr": "0.1"}, b={"model": "mlp", "lr": "1"})
    write_records(tmp_path / "runs" / "a" / "launch-1", window(0))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.end").write_text('{"event":"started"}\n{"event":"ended","exit_code":0}\n')
    runs = dlscale.load(tmp_path).runs
    assert list(runs.run_id) == ["a", "b"] and list(runs.lr) == [0.1, 1] and list(runs.model) == ["mlp", "mlp"]
    assert list(runs.launches) == [1, 0]
    assert runs.exit_code[0] == 0 and pandas.isna(runs.exit_code[1])


def test_windows_have_the_parts_of_the_steps(tmp_path):
    write_plan(tmp_path, a={})
    write_records(tmp_path / "runs" / "a" / "launch-1", window(0, warmup=True), window(5))
    windows = dlscale.load(tmp_path).windows
    assert list(windows.first_step) == [0, 5] and list(windows["parts.forward.mean"]) == [0.2, 0.2]
    assert list(windows.wall_s / windows.steps) == [0.1, 0.1]


def test_measured_quantities_are_columns(tmp_path):
    write_plan(tmp_path, a={})
    write_records(tmp_path / "runs" / "a" / "launch-1", window(0, measured={"mfu": 40}), window(5))
    windows = dlscale.load(tmp_path).windows
    assert windows["measured.mfu"][0] == 40 and pandas.isna(windows["measured.mfu"][1])


def write_database(folder, result_launch, *launches):
    """Writes the columns of results.sqlite that name the last completed launch of run a."""
    with sqlite3.connect(folder / "results.sqlite") as database:
        database.execute("CREATE TABLE run (run_id TEXT, result_launch INTEGER)")
        database.execute("CREATE TABLE launch (run_id TEXT, launch INTEGER)")
        database.execute("INSERT INTO run VALUES ('a', ?)", (result_launch,))
        database.executemany("INSERT INTO launch VALUES ('a', ?)", [(number,) for number in launches])


@pytest.mark.parametrize("result_launch, collected, counted", [(1, (1, 2), 1), (None, (1, 2), 2), (1, (1,), 2)])
def test_a_launch_that_failed_after_a_completed_launch_does_not_count(tmp_path, result_launch, collected, counted):
    write_plan(tmp_path, a={})
    write_records(tmp_path / "runs" / "a" / "launch-1", window(0), window(5))
    write_records(tmp_path / "runs" / "a" / "launch-2", window(0))
    write_database(tmp_path, result_launch, *collected)
    assert set(dlscale.load(tmp_path).windows.launch) == {counted}


def test_a_plan_without_results_has_empty_frames(tmp_path):
    write_plan(tmp_path, a={})
    frames = dlscale.load(tmp_path)
    assert len(frames.runs) == 1
    for frame in frames[1:]:
        assert len(frame) == 0 and "run_id" in frame.columns


def test_broken_lines_are_left_out(tmp_path):
    write_plan(tmp_path, a={})
    folder = tmp_path / "runs" / "a" / "launch-1"
    write_records(folder, window(0))
    with open(folder / "results.jsonl", "a") as file:
        file.write('not json\n[1]\n{"record":7}\n{"record":"of another version"}\n{"record":"step_window","first')
    assert len(dlscale.load(tmp_path).windows) == 1


def test_one_file_can_be_read(tmp_path):
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 3):
            pass
    frames = dlscale.load(tmp_path / "results.jsonl")
    assert list(frames.windows.steps) == [3] and list(frames.epochs.epoch) == [0]


def test_a_folder_without_a_plan_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="plan.json does not exist; pass a folder that dlscale plan has written"):
        dlscale.load(tmp_path)


def test_pandas_is_only_needed_for_frames(script):
    code, _, err = script.run("""
import sys
sys.modules["pandas"] = None
import dlscale
dlscale.load(".")
""")
    assert code == 1 and "dlscale.load() needs pandas: pip install pandas" in err
