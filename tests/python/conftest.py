# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the Python package."""
import json
import pathlib
import subprocess
import sys
import types

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = SOURCE / "python"
sys.path.insert(0, str(PACKAGE))


class Script:
    """Folder in which scripts run that use the package."""

    def __init__(self, folder):
        self.folder = folder

    def start(self, code, ranks=1, folder=None, options=()):
        """Starts a script with one rank, or with torchrun and several ranks."""
        script = self.folder / "script.py"
        script.write_text(f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n" + code)
        command = [sys.executable, *options]
        if ranks > 1:
            command += ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
        return subprocess.Popen([*command, str(script)], cwd=folder or self.folder, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def run(self, code, **options):
        """Runs a script to its end. Returns its exit code, standard output and standard error."""
        process = self.start(code, **options)
        out, err = process.communicate(timeout=240)
        return process.returncode, out, err


@pytest.fixture
def script(tmp_path):
    return Script(tmp_path)


@pytest.fixture
def launch(tmp_path):
    """Returns a function that makes a launch folder of a plan folder and its number."""
    def make(number=1, run_id="net-g1"):
        folder = tmp_path / "plan" / "runs" / run_id / f"launch-{number}"
        folder.mkdir(parents=True)
        return folder
    return make


@pytest.fixture
def records():
    """Returns a function that reads a file of records strictly: each line must be a JSON object."""
    def read(folder, kind=None):
        lines = (folder / "results.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        return [record for record in found if kind in (None, record["record"])]
    return read


@pytest.fixture
def clock(monkeypatch):
    """Clock of the recorder that only sleep() advances."""
    import dlscale.recorder

    now = [1000.0]

    def sleep(seconds):
        now[0] += seconds

    monkeypatch.setattr(dlscale.recorder, "time", types.SimpleNamespace(
        time=lambda: now[0], perf_counter=lambda: now[0]))
    return types.SimpleNamespace(sleep=sleep)
