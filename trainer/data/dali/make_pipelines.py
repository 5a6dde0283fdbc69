#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pipelines that the loaders dali_cpu and dali_gpu hand to DALI, beside this file.

  python3 -m venv /tmp/dali && /tmp/dali/bin/pip install nvidia-dali-cuda130==2.4.0
  /tmp/dali/bin/python trainer/data/dali/make_pipelines.py [FOLDER]

DALI serializes a pipeline in Python alone. What depends on the run comes in as data, so that a few
files serve all runs: of each sample its bytes, the box that is decoded of it (`start` and `shape`, rows
before columns), the part of that box which is scaled (`from` and `to`, pixels; from right to left
where the image is mirrored) and the size it is scaled to (`size`); mean and deviation of the colours
(of 0 to 255) too. Batch size, threads, device, prefetch and seed are parameters of the C API.
Neither a GPU nor a driver is needed, and the same DALI writes the same bytes everywhere.
"""

import itertools
import pathlib
import sys

from nvidia.dali import Pipeline, fn, types
from nvidia.dali._utils import dali_trace


def source(name, dtype):
    return fn.external_source(name=name, dtype=dtype, ndim=1)


def pipeline(device, numbers, layout, antialias):
    # The run sets the number of threads, the batch size and the device. Without a device, this
    # script needs no GPU driver.
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None, seed=0, exec_dynamic=True)
    with pipe:
        image = fn.decoders.image_slice(
            source("encoded", types.UINT8),
            device="mixed" if device == "gpu" else "cpu",
            start=source("start", types.INT32),
            shape=source("shape", types.INT32),
            axes=[0, 1],
            output_type=types.RGB,
            adjust_orientation=False,
            jpeg_fancy_upsampling=True,
        )
        image = fn.resize(
            image,
            size=source("size", types.FLOAT),
            roi_start=source("from", types.FLOAT),
            roi_end=source("to", types.FLOAT),
            interp_type=types.INTERP_LINEAR,
            antialias=antialias,
        )
        colours = {}
        if numbers == "fp32":
            colours = {"mean": source("mean", types.FLOAT), "std": source("std", types.FLOAT)}
        image = fn.crop_mirror_normalize(
            image,
            dtype=types.FLOAT if numbers == "fp32" else types.UINT8,
            output_layout="CHW" if layout == "planes" else "HWC",
            **colours,
        )
        pipe.set_outputs(image)
    return pipe


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    if folder.is_file():
        folder = folder.parent
    dali_trace.set_tracing(enabled=False)  # which line of which file: it would be written along
    layouts, resamples = ("planes", "channels_last"), ("antialiased", "bilinear")
    for kind in itertools.product(("cpu", "gpu"), ("fp32", "uint8"), layouts, resamples):
        device, numbers, layout, resample = kind
        pipe = pipeline(device, numbers, layout, resample == "antialiased")
        (folder / ("-".join(kind) + ".bin")).write_bytes(pipe.serialize())


if __name__ == "__main__":
    main()
