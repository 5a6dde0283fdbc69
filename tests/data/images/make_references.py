#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of this folder and what torchvision makes of them, which tests/images compares with.

usage: make_references.py     writes beside itself; needs torch 2.11.0, torchvision 0.26.0, numpy and Pillow

references.txt has a line for each case: file, part (top left height width), size (height width), resample,
mirrored, offset of its bytes in references.bin. Those are height x width x 3: torchvision's crop, resize and
hflip of the picture as Pillow reads it, on Pillow's image where antialiased, else on a tensor of bytes.
evaluation.txt and .bin are so of Resize(shorter) and CenterCrop(side): file, shorter, side, resample, offset.

Of 16 bits torchvision's decode_image and to_dtype keep the higher 8, as Pillow does of colours; Pillow's
convert("RGB") makes of 16-bit greys nothing but white.
"""
import pathlib
import struct
import zlib

import numpy
import torch
from PIL import Image
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms import functional
from torchvision.transforms.v2.functional import to_dtype

HERE = pathlib.Path(__file__).parent
HEIGHT, WIDTH = 113, 150


def picture():
    """Something like a photograph: smooth shades, an edge, a little noise."""
    random = numpy.random.default_rng(7)
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    planes = [127 + 90 * numpy.sin(x / (9 + 4 * c) + y / (17 - 3 * c)) + 25 * (x + y > 130 + 9 * c) for c in range(3)]
    noise = random.normal(0, 3, (HEIGHT, WIDTH, 3))
    return numpy.clip(numpy.stack(planes, 2) + noise, 0, 255).astype(numpy.uint8)


def write_png(path, size, kind, rows):
    """A PNG of rows as they stand in it; kind: depth, colour type, compression, filter, interlace."""
    def chunk(name, data):
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    header = struct.pack(">II", size[1], size[0]) + bytes(kind)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) +
                     chunk(b"IEND", b""))


def write_wide(path, pixels):
    """16 bits, of which the lower 8 are noise."""
    noise = numpy.random.default_rng(8).integers(0, 256, pixels.shape)
    rows = b"".join(b"\0" + row.tobytes() for row in (pixels.astype(int) * 256 + noise).astype(">u2"))
    write_png(path, pixels.shape, (16, 2 if pixels.ndim == 3 else 0, 0, 0, 0), rows)


def write_interlaced(path, pixels):
    """Pillow writes no interlaced PNG: Adam7 by hand."""
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    rows = b"".join(b"\0" + row.tobytes() for top, left, down, right in passes
                    for row in pixels[top::down, left::right] if row.size)
    write_png(path, pixels.shape, (8, 2, 0, 0, 1), rows)


def write_pictures():
    pixels = picture()
    image, small = Image.fromarray(pixels), pixels[:40, :56]
    for name, subsampling in (("420", 2), ("422", 1), ("444", 0)):
        image.save(HERE / f"{name}.jpg", quality=80, subsampling=subsampling)
    image.save(HERE / "progressive.jpg", quality=80, progressive=True)
    image.convert("L").save(HERE / "grey.jpg", quality=80)
    image.convert("CMYK").save(HERE / "cmyk.jpg", quality=80)
    turned = Image.Exif()
    turned[0x0112] = 6  # to be shown turned by 90 degrees
    Image.fromarray(small).save(HERE / "exif.jpg", quality=90, exif=turned)
    Image.fromarray(small).save(HERE / "rgb.png")
    Image.fromarray(small).convert("L").save(HERE / "grey.png")
    Image.fromarray(small).quantize(32).save(HERE / "palette.png", transparency=3)
    alpha = numpy.concatenate([small, small[:, :, :1]], 2)
    Image.fromarray(alpha, "RGBA").save(HERE / "alpha.png")
    Image.fromarray(pixels[:1, :1]).save(HERE / "one.png")
    Image.fromarray(small[:, :25]).save(HERE / "tall.png")
    write_interlaced(HERE / "interlaced.png", small)
    write_wide(HERE / "wide.png", small[:24, :32])
    write_wide(HERE / "wide-grey.png", small[:24, :32, 0])


def read(path):
    """Pillow's image of 8-bit colours."""
    if not path.name.startswith("wide"):
        return Image.open(path).convert("RGB")
    wide = decode_image(str(path), ImageReadMode.RGB)
    return functional.to_pil_image(to_dtype(wide, torch.uint8, scale=True))


def parts_of(height, width):
    """The whole, as it is and scaled either way; parts that begin anywhere."""
    yield (0, 0, height, width), (height, width)
    yield (0, 0, height, width), (24, 24)
    if height == 1:
        return
    yield (height // 3, width // 4, height // 5, width // 5), (height // 5, width // 5)
    yield (height // 5 + 1, width // 3 + 1, height // 3, width // 2), (24, 28)
    yield (height // 2, width // 2, height // 8, width // 9), (24, 24)


def reference(image, part, size, resample):
    if resample == "antialiased":
        out = functional.crop(image, *part)
        return numpy.asarray(functional.resize(out, list(size), antialias=True))
    tensor = functional.pil_to_tensor(image)
    out = functional.resize(functional.crop(tensor, *part), list(size), antialias=False)
    return out.permute(1, 2, 0).numpy()


def evaluation(image, shorter, side, resample):
    antialiased = resample == "antialiased"
    out = image if antialiased else functional.pil_to_tensor(image)
    out = functional.center_crop(functional.resize(out, shorter, antialias=antialiased), [side, side])
    return numpy.asarray(out) if antialiased else out.permute(1, 2, 0).numpy()


def write_evaluations():
    lines, data = [], bytearray()
    for name in ("420.jpg", "cmyk.jpg", "grey.png", "one.png", "rgb.png", "tall.png", "wide.png"):
        image = read(HERE / name)
        for shorter, side in ((32, 28), (37, 24), (73, 64)):
            if shorter == 73 and name not in ("rgb.png", "tall.png"):
                continue  # enlarged
            for resample in ("antialiased", "bilinear"):
                lines.append(f"{name} {shorter} {side} {resample} {len(data)}")
                data += numpy.ascontiguousarray(evaluation(image, shorter, side, resample)).tobytes()
    (HERE / "evaluation.txt").write_text("\n".join(lines) + "\n")
    (HERE / "evaluation.bin").write_bytes(data)


def main():
    torch.set_num_threads(1)
    write_pictures()
    write_evaluations()
    lines, data = [], bytearray()
    for path in sorted([*HERE.glob("*.jpg"), *HERE.glob("*.png")]):
        image = read(path)
        for number, (part, size) in enumerate(parts_of(image.height, image.width)):
            if number == 0 and image.height > 60:
                continue  # 50 kB each, and the next ones see as much
            for resample in ("antialiased", "bilinear"):
                if resample == "bilinear" and (part[2:] == size or not path.name.startswith(("4", "rgb", "one"))):
                    continue
                mirrored = number % 2
                out = reference(image, part, size, resample)
                out = numpy.ascontiguousarray(out[:, ::-1] if mirrored else out)
                where = " ".join(map(str, part + size))
                lines.append(f"{path.name} {where} {resample} {mirrored} {len(data)}")
                data += out.tobytes()
    (HERE / "references.txt").write_text("\n".join(lines) + "\n")
    (HERE / "references.bin").write_bytes(data)


if __name__ == "__main__":
    main()
