# SPDX-License-Identifier: Apache-2.0
"""Tests of launches with several ranks."""
import pytest

import dlscale

needs_torch = pytest.mark.skipif("not __import__('importlib.util').util.find_spec('torch')", reason="needs torch")

GLOO = """
import time
import torch
import torch.distributed as dist
import dlscale
dist.init_process_group("gloo")
rank = dist.get_rank()
"""


@needs_torch
def test_rank_0_records_all_ranks(script, records):
    code, _, err = script.run(GLOO + """
with dlscale.run(window_steps=5) as run:
    for batch in run.steps([(torch.zeros(2 + rank, 3), torch.zeros(2 + rank))] * 12):
        time.sleep(0.02 * rank)
        run.log(loss=torch.tensor(1.0 + rank))
dist.destroy_process_group()
""", ranks=2)
    assert code == 0, err
    windows = records(script.folder, "step_window")
    assert [(w["steps"], w["samples"], w["train_loss"]) for w in windows] == [(5, 25, 1.5), (5, 25, 1.5), (2, 10, 1.5)]
    assert windows[0]["wall_s"] >= 0.1  # the time of the slowest rank
    start, = records(script.folder, "run_start")
    assert (start["world_size"], start["nodes"], len(start["hosts"])) == (2, 1, 2)
    assert sorted(path.name for path in script.folder.iterdir()) == ["results.jsonl", "script.py"]


@needs_torch
def test_ranks_agree_on_the_length_of_windows(script, records):
    code, _, err = script.run(GLOO + """
with dlscale.run() as run:
    for epoch in range(2):
        for batch in run.steps([torch.zeros(2)] * 300):
            time.sleep(0.004 * (1 - rank))
dist.destroy_process_group()
""", ranks=2)
    assert code == 0, err
    assert [epoch["samples"] for epoch in records(script.folder, "epoch")] == [1200, 1200]


CASES = [(9, 11), (11, 9), (3, 20), (20, 3), (10, 0)]


@needs_torch
def test_ranks_with_different_numbers_of_batches_do_not_wait_forever(script, records):
    for case in range(len(CASES)):
        (script.folder / str(case)).mkdir()
    code, _, err = script.run(GLOO + f"""
for case, batches in enumerate({CASES}):
    with dlscale.run(folder=str(case), window_steps=5) as run:
        for epoch in range(3):
            for batch in run.steps([torch.zeros(2)] * batches[rank]):
                pass
dist.destroy_process_group()
""", ranks=2)
    assert code == 0, err
    for case, batches in enumerate(CASES):
        folder = script.folder / str(case)
        assert [epoch["steps"] for epoch in records(folder, "epoch")] == [batches[0]] * 3
        samples = sum(window["samples"] for window in records(folder, "step_window"))
        assert samples == 2 * 3 * sum(batches) if batches[0] >= batches[1] else samples <= 2 * 3 * sum(batches)


@needs_torch
def test_a_group_of_ranks_can_train(script, records):
    code, _, err = script.run(GLOO + """
groups = [dist.new_group([0, 1]), dist.new_group([2])]
if rank < 2:
    with dlscale.run(group=groups[0]) as run:
        for batch in run.steps([torch.zeros(2)] * 3):
            pass
dist.barrier()
dist.destroy_process_group()
""", ranks=3)
    assert code == 0, err
    assert records(script.folder, "run_start")[0]["world_size"] == 2
    assert records(script.folder, "epoch")[0]["samples"] == 12


def test_a_script_can_pass_a_function_that_gathers(tmp_path, records):
    with dlscale.run(folder=tmp_path, rank=0, world_size=2,
                     gather=lambda values: [values, [2 * value for value in values]]) as run:
        for _ in run.steps([[0, 0]] * 10):
            pass
    window = records(tmp_path, "step_window")[0]
    assert (window["steps"], window["samples"]) == (10, 60)


def test_a_function_that_gathers_too_few_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="gather: must return one list of .* numbers for each of the 2 ranks"):
        with dlscale.run(folder=tmp_path, rank=0, world_size=2, gather=lambda values: [values]) as run:
            for _ in run.steps([[0]] * 10):
                pass


def test_only_rank_0_writes(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 10):
            pass
        run.evaluated(accuracy=0.5)
    assert list(tmp_path.iterdir()) == []


def test_ranks_that_cannot_exchange_numbers_are_assumed_to_be_equal(tmp_path, monkeypatch, records, capsys):
    for name, value in {"RANK": 0, "WORLD_SIZE": 8, "LOCAL_WORLD_SIZE": 4}.items():
        monkeypatch.setenv(name, str(value))
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 10):
            pass
    assert records(tmp_path, "epoch")[0]["samples"] == 80
    start, = records(tmp_path, "run_start")
    assert (start["world_size"], start["nodes"]) == (8, 2) and "hosts" not in start
    assert capsys.readouterr().err.count("torch.distributed is not initialised") == 1


def test_tasks_of_a_batch_job_are_not_ranks(tmp_path, monkeypatch, records):
    monkeypatch.setenv("SLURM_PROCID", "0")
    monkeypatch.setenv("SLURM_NTASKS", "8")  # set in the job script, which starts one process
    with dlscale.run(folder=tmp_path) as run:
        for _ in run.steps([[0]] * 10):
            pass
    assert records(tmp_path, "run_start")[0]["world_size"] == 1
