#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links a program of a build tree again, so that it runs on other distributions.

usage: tools/portable/relink.py BUILD PROGRAM LIBRARIES OUTPUT [RUNPATH]

BUILD      build tree in which PROGRAM is built, for example build/release
PROGRAM    path of the program in the build tree, for example bin/dlscale
LIBRARIES  folder with the link stubs of the C library (stubs/) and the objects that replace libraries without a
           static version (NAME.o), compat.o and build_info.o
RUNPATH    folders in which the program searches for the libraries that stay dynamic, separated by colons

The link line of the build tree is kept, with three changes. Libraries of Debian become static ones, libstdc++ too.
LibTorch, MPI and CUDA stay dynamic. The C library is replaced by the link stubs.
"""
import pathlib
import re
import shlex
import subprocess
import sys

SHARED = re.compile(r"lib(?P<name>[\w+-]+?)\.so[\d.]*")
# Libraries that belong to the environment of the user, by the beginning of their names.
DYNAMIC = ("torch", "c10", "mpi", "cudart", "nccl")
# Libraries of the C library in the order in which the loader searches them. The dynamic loader comes last, because
# before glibc 2.35 it exports a malloc for its own use.
STUBS = ("libpthread.so.0", "libdl.so.2", "librt.so.1", "libm.so.6", "libgcc_s.so.1", "libc.so.6",
         "ld-linux-x86-64.so.2")
# Libraries that the static version of a library needs in addition.
ALSO_NEEDED = {"boost_iostreams": ("bz2", "lzma")}


def link_line(build, program):
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", program], check=True, capture_output=True,
                              text=True).stdout.splitlines()
    words = shlex.split(commands[-1].split("&&")[1])
    if words[words.index("-o") + 1] != program:
        sys.exit(f"tools/portable/relink.py: the last command of {program} does not link it")
    return words


def file_of_compiler(name):
    return subprocess.run(["g++", f"-print-file-name={name}"], check=True, capture_output=True,
                          text=True).stdout.strip()


def portable(words, libraries):
    """Returns the inputs of a link line with static libraries in place of shared ones."""
    inputs, replaced = [], []
    for word in words:
        match = SHARED.fullmatch(pathlib.Path(word).name) if word.startswith("/") else None
        if not match or match["name"].startswith(DYNAMIC):
            inputs.append(word)
            continue
        static = pathlib.Path(word).with_name(f"lib{match['name']}.a")
        own = libraries / f"{match['name']}.o"
        if not static.exists() and not own.exists():
            sys.exit(f"tools/portable/relink.py: {word} has no static version; install {static.name} or add {own}")
        replaced.append(str(static if static.exists() else own))
        replaced += [str(static.with_name(f"lib{name}.a")) for name in ALSO_NEEDED.get(match["name"], ())]
    # Static libraries of Debian come last, because dlscale's own libraries use them. Each one may use the others.
    return inputs + ["-Wl,--start-group", *dict.fromkeys(replaced), "-Wl,--end-group"]


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    build, program = sys.argv[1:3]
    libraries, output = (pathlib.Path(name).resolve() for name in sys.argv[3:5])
    words = link_line(build, program)
    at = words.index("-o")
    words[at:at + 2] = []
    words = [str(libraries / "build_info.o") if word.endswith("/build_info.cpp.o") else word for word in words
             if not word.startswith("-Wl,-rpath") and word not in ("-ldl", "-lpthread", "-lrt")]
    command = [
        *portable(words, libraries), "-o", str(output), "-nodefaultlibs", str(libraries / "compat.o"),
        "-Wl,--wrap=__libc_start_main",
        # With hidden symbols, the libstdc++ of this program and the one of LibTorch do not mix.
        "-Wl,--exclude-libs,ALL", "-Wl,--no-as-needed",
        "-Wl,--start-group", file_of_compiler("libstdc++.a"), file_of_compiler("libgcc.a"), "-Wl,--end-group",
        *(str(libraries / "stubs" / name) for name in STUBS), file_of_compiler("libc_nonshared.a"),
        # With -z lazy, the loader looks up a function at its first call. With another version of LibTorch, the trainer
        # can therefore start and report the version, unless a symbol is missing that the loader looks up at the start.
        "-Wl,--strip-all", "-Wl,-z,relro", "-Wl,-z,lazy",
    ]
    if len(sys.argv) == 6:
        # LibTorch and CUDA find the C++ functions that they call in the shared libstdc++ of the system.
        command += [file_of_compiler("libstdc++.so.6"), "-Wl,--enable-new-dtags", f"-Wl,-rpath,{sys.argv[5]}"]
    sys.exit(subprocess.run(command, cwd=build, check=False).returncode)


if __name__ == "__main__":
    main()
