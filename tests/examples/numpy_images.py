#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of the data set numpy_images: grey 12x12 images of noise with a square in one corner.

usage: numpy_images.py FOLDER      the corner is the class
"""
import pathlib
import random
import struct
import sys

SIDE = 12


def save(path, kind, sizes, values):
    """Writes an .npy file without NumPy."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, sizes))},), }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)


def image(label):
    pixels = bytearray(random.randrange(100) for _ in range(SIDE * SIDE))
    for row in range(4):
        for column in range(4):
            pixels[(label // 2 * 8 + row) * SIDE + label % 2 * 8 + column] += 100
    return bytes(pixels)


def main():
    folder = pathlib.Path(sys.argv[1])
    random.seed(1)
    for name, count in (("train", 512), ("test", 128)):
        labels = [i % 4 for i in range(count)]
        save(folder / f"{name}_images.npy", "|u1", (count, SIDE, SIDE), b"".join(map(image, labels)))
        save(folder / f"{name}_labels.npy", "<i8", (count,), struct.pack(f"<{count}q", *labels))


if __name__ == "__main__":
    main()
