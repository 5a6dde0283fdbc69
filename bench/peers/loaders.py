#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast torchvision loads data.

The pipelines are those that users commonly write. `pil` uses ImageFolder, Pillow's images, RandomResizedCrop, a flip,
ToTensor and Normalize in a DataLoader. `jpeg` decodes files to tensors of bytes (io.decode_jpeg) and does the same with
transforms v2. `dataset` takes batches of MNIST from a DataLoader over tensors. `index` indexes a tensor of all images
of MNIST, normalised beforehand, in a shuffled order. The script prints one line of JSON: samples_per_s of each block of
whole epochs without the first block, and cores, the CPU seconds per second. It uses one thread and --workers processes.
It needs torch 2.11.0 and torchvision 0.26.0.

  bench/peers/loaders.py FOLDER --pipeline jpeg [--workers 2]     (FOLDER/<class>/<image>)
  bench/peers/loaders.py FOLDER --pipeline index --batch 64       (FOLDER/train-images-idx3-ubyte, or .gz)
"""

import argparse
import gzip
import json
import pathlib
import resource
import time

import PIL
import torch
import torchvision
from torchvision import io
from torchvision.transforms import v2

MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class FromBytes(torch.utils.data.Dataset):
    """Data set of files that torchvision decodes to tensors of bytes."""

    def __init__(self, folder, transform):
        self.samples = torchvision.datasets.ImageFolder(folder).samples
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        path, label = self.samples[i]
        return self.transform(io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)), label


def photographs(folder, pipeline):
    if pipeline == "pil":
        classic = torchvision.transforms
        return torchvision.datasets.ImageFolder(folder, classic.Compose([
            classic.RandomResizedCrop(224), classic.RandomHorizontalFlip(), classic.ToTensor(),
            classic.Normalize(MEAN, DEVIATION)]))
    return FromBytes(folder, v2.Compose([
        v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, DEVIATION)]))


def mnist(folder):
    def read(name, header):
        path = pathlib.Path(folder) / name
        text = path.read_bytes() if path.exists() else gzip.open(f"{path}.gz").read()
        return torch.frombuffer(bytearray(text[header:]), dtype=torch.uint8)
    images = read("train-images-idx3-ubyte", 16).view(-1, 1, 28, 28)
    return images.float().div_(255).sub_(0.1307).div_(0.3081), read("train-labels-idx1-ubyte", 8).long()


def batches(arguments):
    """Returns a function that loads an epoch and returns the number of its samples."""
    if arguments.pipeline == "index":
        images, labels = mnist(arguments.folder)

        def epoch():
            for chosen in torch.randperm(len(labels)).split(arguments.batch):
                images[chosen], labels[chosen]
            return len(labels)
        return epoch
    data = (torch.utils.data.TensorDataset(*mnist(arguments.folder)) if arguments.pipeline == "dataset"
            else photographs(arguments.folder, arguments.pipeline))
    loader = torch.utils.data.DataLoader(data, arguments.batch, shuffle=True, num_workers=arguments.workers,
                                         persistent_workers=arguments.workers > 0)

    def epoch():
        return sum(len(labels) for _, labels in loader)
    return epoch


def cpu_s():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(arguments):
    torch.set_num_threads(1)
    epoch = batches(arguments)
    rates, cores = [], []
    for _ in range(arguments.blocks + 1):
        start, cpu_start, samples, wall = time.perf_counter(), cpu_s(), 0, 0
        while wall < arguments.seconds:
            samples += epoch()
            wall = time.perf_counter() - start
        rates.append(samples / wall)
        cores.append((cpu_s() - cpu_start) / wall)
    return {"samples_per_s": rates[1:], "pipeline": arguments.pipeline, "torch": torch.__version__,
            "torchvision": torchvision.__version__, "pillow": PIL.__version__,
            # The system counts the CPU time of a worker process only after the process has ended,
            # so the value is unknown with workers.
            "cores": cores[1:] if arguments.workers == 0 else []}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--pipeline", choices=["pil", "jpeg", "dataset", "index"], required=True)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=5, help="number of blocks after one that does not count")
    parser.add_argument("--seconds", type=float, default=1, help="least duration of a block")
    print(json.dumps(measure(parser.parse_args())), flush=True)


if __name__ == "__main__":
    main()
