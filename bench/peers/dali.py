#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads the photographs of an ImageFolder with NVIDIA DALI on the CPU and says how fast.

Knows how DALI's documentation loads images to train on: `plain` decodes whole pictures and cuts a
random part out of each, `fused` decodes no more than that part. Both read with readers.file,
shuffled, mirror half of the images and normalise them to float32, colours in planes. Prints one
line of JSON: samples_per_s of each block of --epochs epochs, without the first, and cores, the CPU
seconds of the process per second. Needs nvidia-dali-cuda130 2.4.0; no GPU, no driver.

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
    parser.add_argument("folder", help="has a folder of images for each class")
    parser.add_argument("--pipeline", choices=["plain", "fused"], default="fused")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--prefetch", type=int, default=2)
    parser.add_argument("--epochs", type=float, default=2, help="of a block")
    parser.add_argument("--blocks", type=int, default=6, help="the first is left out")
    arguments = parser.parse_args()
    if arguments.blocks < 2:
        parser.error("--blocks must be at least 2: the first is left out")
    print(json.dumps(measure(arguments)), flush=True)


if __name__ == "__main__":
    main()
