#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast NVIDIA DALI loads the photographs of an ImageFolder on the CPU.

The pipelines load images for training as DALI's documentation does. `plain` decodes whole images and crops a random
part of each image. `fused` decodes only that part. Both pipelines read files in shuffled order with readers.file,
mirror half of the images, and normalise the images to float32 with the colours in planes. The script prints one line of
JSON: samples_per_s of each block of --epochs epochs without the first block, and cores, the CPU seconds of the process
per second. It needs nvidia-dali-cuda130 2.4.0, but no GPU and no driver.

  bench/peers/dali.py FOLDER --threads 2 --pipeline fused      (FOLDER/<class>/<image>)
"""

import argparse
import json
import time

import nvidia.dali
from nvidia.dali import fn, pipeline_def, types

MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
DEVIATION = [0.229 * 255, 0.224 * 255, 0.225 * 255]


@pipeline_def(device_id=None)
def images(folder, side, fused):
    files, labels = fn.readers.file(file_root=folder, random_shuffle=True, name="files")
    if fused:
        pictures = fn.decoders.image_random_crop(files, device="cpu")
        pictures = fn.resize(pictures, size=[side, side])
    else:
        pictures = fn.decoders.image(files, device="cpu")
        pictures = fn.random_resized_crop(pictures, size=[side, side])
    pictures = fn.crop_mirror_normalize(pictures, dtype=types.FLOAT, output_layout="CHW", mean=MEAN,
                                        std=DEVIATION, mirror=fn.random.coin_flip())
    return pictures, labels


def measure(arguments):
    pipeline = images(arguments.folder, arguments.side, arguments.pipeline == "fused",
                      batch_size=arguments.batch, num_threads=arguments.threads,
                      prefetch_queue_depth=arguments.prefetch, seed=1)
    pipeline.build()
    per_epoch = pipeline.epoch_size("files") / arguments.batch
    runs = max(1, round(arguments.epochs * per_epoch))
    rates, cores = [], []
    for _ in range(arguments.blocks):
        start, cpu_start = time.perf_counter(), time.process_time()
        for _ in range(runs):
            pipeline.run()
        wall = time.perf_counter() - start
        rates.append(runs * arguments.batch / wall)
        cores.append((time.process_time() - cpu_start) / wall)
    return {"samples_per_s": rates[1:], "cores": cores[1:], "pipeline": arguments.pipeline,
            "threads": arguments.threads, "dali": nvidia.dali.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="folder with a folder of images for each class")
    parser.add_argument("--pipeline", choices=["plain", "fused"], default="fused")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--prefetch", type=int, default=2)
    parser.add_argument("--epochs", type=float, default=2, help="number of epochs of a block")
    parser.add_argument("--blocks", type=int, default=6, help="number of blocks, of which the first does not count")
    arguments = parser.parse_args()
    if arguments.blocks < 2:
        parser.error("--blocks must be at least 2: the first is left out")
    print(json.dumps(measure(arguments)), flush=True)


if __name__ == "__main__":
    main()
