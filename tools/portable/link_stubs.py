#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes link stubs of this machine's C library that offer only what an older C library has.

usage: tools/portable/link_stubs.py GLIBC_VERSION DIR

A program that is linked against these stubs runs with every C library from GLIBC_VERSION on. glibc keeps the old
versions of its symbols, so the dynamic symbol table of a new glibc contains the complete symbol table of each older
one. For each symbol the stub offers the newest version that is not newer than GLIBC_VERSION. A stub contains no code.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

# Libraries whose symbols the programs use, and the newest allowed version in each set of symbol versions. The limit for
# the set GCC is the newest version in the libgcc of GCC 8, the compiler of the distributions that have glibc 2.28.
LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2")
LIMITS = {"GCC": (7, 0, 0)}
# Before glibc 2.34, some functions of libc.so.6 were in these libraries. The symbols kept their versions when they
# moved. A program therefore only has to load these libraries; newer systems have empty ones.
FORMER_LIBRARIES = ("libpthread.so.0", "libdl.so.2", "librt.so.1")
SYMBOL = re.compile(
    r"^ *\d+: (?P<value>[0-9a-f]+) +(?P<size>\d+) (?P<type>\w+) +(?:GLOBAL|WEAK) +DEFAULT +(?P<section>\w+) "
    r"(?P<name>[\w.]+)@@?(?P<set>GLIBC|GCC)_(?P<version>[\d.]+)$")

Symbol = collections.namedtuple("Symbol", "version size type value")


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def symbols_of(library, limits):
    """Returns the newest allowed version of each symbol of a library, as name -> (node, Symbol)."""
    table = subprocess.run(["readelf", "--wide", "--dyn-syms", library], check=True, capture_output=True,
                           text=True).stdout
    chosen = {}
    for line in table.splitlines():
        match = SYMBOL.match(line)
        if not match or match["section"] == "UND" or match["type"] == "TLS":
            continue
        version = numbers(match["version"])
        if version > limits[match["set"]]:
            continue
        name = match["name"]
        if name not in chosen or version > chosen[name][1].version:
            node = f"{match['set']}_{match['version']}"
            chosen[name] = (node, Symbol(version, int(match["size"]), match["type"], match["value"]))
    return {name: symbol for name, symbol in chosen.items() if name != symbol[0]}


def write_stub(soname, chosen, folder):
    """Writes the stub of one library. Objects at the same address in the library stay at one address in the stub."""
    functions = [name for name, (_, symbol) in chosen.items() if symbol.type != "OBJECT"]
    objects = collections.defaultdict(list)
    for name, (_, symbol) in chosen.items():
        if symbol.type == "OBJECT":
            objects[symbol.value].append((name, symbol.size))
    lines = [".text"]
    lines += [f".globl {name}\n.type {name}, @function\n{name}:" for name in functions]
    lines += [".bss"]
    for names in objects.values():
        lines.append(".balign 32")
        lines += [f".globl {name}\n.type {name}, @object\n.size {name}, {size}\n{name}:" for name, size in names]
        lines.append(f".zero {max(1, *(size for _, size in names))}")
    lines.append('.section .note.GNU-stack,"",@progbits')
    nodes = collections.defaultdict(list)
    for name, (node, _) in chosen.items():
        nodes[node].append(name)
    script = "".join(f"{node} {{ global: {' '.join(f'{name};' for name in names)} }};\n"
                     for node, names in sorted(nodes.items()))
    source, versions = folder / f"{soname}.s", folder / f"{soname}.map"
    source.write_text("\n".join(lines) + "\n")
    versions.write_text(script)
    command = ["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{soname}", "-o", str(folder / soname), str(source)]
    if script:
        command.append(f"-Wl,--version-script,{versions}")
    subprocess.run(command, check=True)
    source.unlink()
    versions.unlink()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    limits = {**LIMITS, "GLIBC": numbers(sys.argv[1])}
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for soname in LIBRARIES:
        path = subprocess.run(["gcc", f"-print-file-name={soname}"], check=True, capture_output=True,
                              text=True).stdout.strip()
        write_stub(soname, symbols_of(os.path.realpath(path), limits), folder)
    for soname in FORMER_LIBRARIES:
        write_stub(soname, {}, folder)


if __name__ == "__main__":
    main()
