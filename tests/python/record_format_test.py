# SPDX-License-Identifier: Apache-2.0
"""Tests that the example of docs/record-format.md gives a table of efficiency."""
import csv
import os
import re
import subprocess

import pytest

from conftest import SOURCE


def blocks_of(page):
    """Returns the code blocks of a page as (language, text)."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", (SOURCE / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def dlscale(tmp_path):
    program = os.path.abspath(os.environ["DLSCALE_PROGRAM"])

    def call(*arguments):
        return subprocess.run([program, *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
    return call


def plan(folder, script, study, dlscale):
    """Plans the study in the folder."""
    (folder / "train.py").write_text(script)
    (folder / "study.toml").write_text(study)
    done = dlscale("plan", "study.toml", "-o", "out")
    assert done.returncode == 0, done.stdout


def test_the_example_of_the_page_gives_a_table(tmp_path, dlscale):
    texts = dict(blocks_of("record-format.md"))
    plan(tmp_path, texts["python"], texts["toml"], dlscale)
    for line in texts["sh"].splitlines()[1:]:
        done = dlscale(*line.split()[1:])
        assert done.returncode == 0, done.stdout
    assert "efficiency" in done.stdout
    with open(tmp_path / "out" / "tables" / "efficiency.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert [(row["gpus"], row["batch_per_gpu"]) for row in rows] == [("1", "4"), ("2", "4"), ("1", "8"), ("2", "8")]


@pytest.mark.parametrize("key", ["epoch", "first_step", "steps", "samples", "wall_s", "parts"])
def test_each_required_key_of_the_page_is_required(tmp_path, dlscale, key):
    texts = dict(blocks_of("record-format.md"))
    script = texts["python"].replace("print(json", f"del record['{key}']\n        print(json")
    plan(tmp_path, script, texts["toml"], dlscale)
    assert dlscale("submit", "out", "--wait").returncode == 0
    done = dlscale("collect", "out")
    assert re.search(rf"Skipped 20 lines: {key}: missing; example: .*launch-1/results.jsonl: line 1\n", done.stdout), done.stdout


def test_the_page_of_the_package_has_an_example_that_runs(script, records):
    language, text = blocks_of("python-package.md")[0]
    assert language == "python"
    code, _, err = script.run(text)
    assert code == 0, err
    assert [epoch["epoch"] for epoch in records(script.folder, "epoch")] == [0, 1, 2]
    assert len(records(script.folder, "eval")) == 3


def test_the_example_of_the_page_without_a_with_block_runs_on_two_ranks(script, records):
    pytest.importorskip("torch")
    language, text = blocks_of("python-package.md")[2]
    assert language == "python" and "with " not in text
    code, _, err = script.run(text, ranks=2)
    assert code == 0, err
    epochs = records(script.folder, "epoch")
    assert [(epoch["epoch"], epoch["samples"]) for epoch in epochs] == [(number, 2 * 3200) for number in range(3)]
    assert len(records(script.folder, "eval")) == 3
