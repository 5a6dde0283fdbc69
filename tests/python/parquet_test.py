# SPDX-License-Identifier: Apache-2.0
"""Tests of the Parquet files of `dlscale export --format parquet`."""
import importlib
import json
import os
import sqlite3
import subprocess
import sys

import pytest

import dlscale
from conftest import PACKAGE
from dlscale.parquet import main, write_parquet

STUDY = """
[study]
name = "net"
scaling = "throughput"
[trainer]
command = "true"
log_format = "dlscale"
[matrix]
gpus = [1, 2]
batch_per_gpu = [8]
[training]
epochs = 2
"""


@pytest.fixture
def pyarrow():
    if "DLSCALE_REQUIRE_PYTHON" in os.environ:
        return importlib.import_module("pyarrow.parquet")
    return pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install pyarrow)")


def tables_file(folder, *statements):
    path = folder / "tables.sqlite"
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return path


def test_numbers_stay_numbers_and_null_stays_null(tmp_path, pyarrow):
    path = tables_file(tmp_path, 'CREATE TABLE run (id TEXT, gpus INTEGER, loss REAL, "rate")',
                       "INSERT INTO run VALUES ('größe', 2, 1, 0.5), (NULL, NULL, NULL, 3), ('b', 4, 9e999, NULL)")
    assert write_parquet(path, tmp_path) == [tmp_path / "run.parquet"]
    table = pyarrow.read_table(tmp_path / "run.parquet")
    assert [str(field.type) for field in table.schema] == ["string", "int64", "double", "double"]
    assert table.to_pylist() == [{"id": "größe", "gpus": 2, "loss": 1.0, "rate": 0.5},
                                 {"id": None, "gpus": None, "loss": None, "rate": 3.0},
                                 {"id": "b", "gpus": 4, "loss": float("inf"), "rate": None}]


def test_a_table_without_rows_has_the_declared_types(tmp_path, pyarrow):
    write_parquet(tables_file(tmp_path, "CREATE TABLE run (id TEXT, gpus INTEGER, loss REAL, rate)"), tmp_path)
    schema = pyarrow.read_schema(tmp_path / "run.parquet")
    assert [str(field.type) for field in schema] == ["string", "int64", "double", "double"]


def test_values_that_do_not_fit_the_declared_type_are_kept(tmp_path, pyarrow):
    write_parquet(tables_file(tmp_path, 'CREATE TABLE t ("a ""b" INTEGER, c INTEGER)',
                              "INSERT INTO t VALUES ('text', 1.5), (7, 2)"), tmp_path)
    assert pyarrow.read_table(tmp_path / "t.parquet").to_pylist() == [{'a "b': "text", "c": 1.5}, {'a "b': "7", "c": 2}]


def test_large_tables_are_written_in_several_row_groups(tmp_path, pyarrow, monkeypatch):
    monkeypatch.setattr("dlscale.parquet.ROW_GROUP", 2)
    values = ", ".join(f"({i})" for i in range(5))
    write_parquet(tables_file(tmp_path, "CREATE TABLE t (i INTEGER)", f"INSERT INTO t VALUES {values}"), tmp_path)
    file = pyarrow.ParquetFile(tmp_path / "t.parquet")
    assert file.num_row_groups == 3 and file.read().column("i").to_pylist() == list(range(5))


def test_a_broken_file_is_an_error(tmp_path, pyarrow, capsys):
    (tmp_path / "x.sqlite").write_text("no database, but long enough to be read as one" * 20)
    assert main([str(tmp_path / "x.sqlite"), str(tmp_path)]) == 1
    assert "not a database" in capsys.readouterr().err


def test_without_pyarrow_the_command_that_installs_it_is_printed(script):
    code, out, err = script.run("""
sys.modules["pyarrow"] = None
from dlscale.parquet import main
sys.exit(main(["--check"]))
""")
    assert (code, out) == (2, "")
    assert "pyarrow" in err and f"install it: {sys.executable} -m pip install pyarrow\n" in err


def record(folder, epochs, steps, **start):
    folder.mkdir(parents=True)
    with dlscale.run(folder=folder, window_steps=2, **start) as run:
        for epoch in range(epochs):
            for _ in run.steps([[0] * 8] * steps):
                run.log(loss=1.5)
            run.evaluated(accuracy=0.5, samples=10)


def test_the_export_agrees_with_load(tmp_path, pyarrow):
    """The export has all records. load() leaves out epoch 1 of launch 1, which launch 2 repeats."""
    pytest.importorskip("pandas", reason="pandas is not installed (pip install pandas)")
    program = os.path.abspath(os.environ["DLSCALE_PROGRAM"])

    def call(*arguments):
        done = subprocess.run([program, *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120,
                              env={**os.environ, "DLSCALE_PYTHON": sys.executable, "PYTHONPATH": str(PACKAGE),
                                   "PYTHONDONTWRITEBYTECODE": "1"})
        assert done.returncode == 0, done.stdout
        return done.stdout

    (tmp_path / "study.toml").write_text(STUDY)
    call("plan", "study.toml", "-o", "out")
    first, second = (run["run_id"] for run in json.loads((tmp_path / "out" / "plan.json").read_text())["runs"])
    runs = tmp_path / "out" / "runs"
    record(runs / first / "launch-1", epochs=2, steps=6)
    record(runs / second / "launch-1", epochs=2, steps=6)
    record(runs / second / "launch-2", epochs=1, steps=6, start_epoch=1)
    call("collect", "out", "--no-tables")
    assert "wrote tables/step_window.parquet: 15 rows\n" in call("export", "out", "--format", "parquet", "-o", "tables")

    frames = dlscale.load(tmp_path / "out")
    for frame, view, rows, keys in (
            (frames.windows, "step_window", 12, ["epoch", "first_step", "steps", "samples", "wall_s", "train_loss"]),
            (frames.epochs, "epoch", 4, ["epoch", "steps", "samples", "wall_s", "train_loss"]),
            (frames.evals, "eval", 4, ["epoch", "samples", "accuracy"])):
        keys = ["run_id", "launch", *keys]
        exported = pyarrow.read_table(tmp_path / "tables" / f"{view}.parquet").to_pandas()
        is_repeated = (exported.run_id == second) & (exported.launch == 1) & (exported.epoch == 1)
        assert is_repeated.any() and len(frame) == rows
        assert frame[keys].values.tolist() == exported[~is_repeated][keys].values.tolist()
    exported = pyarrow.read_table(tmp_path / "tables" / "run.parquet").to_pandas()
    assert frames.runs[["run_id", "gpus", "launches"]].values.tolist() == \
        exported[["run_id", "gpus", "launch"]].values.tolist()
