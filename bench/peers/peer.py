#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast one Python framework trains a model on a batch in memory.

The script uses each framework as the documentation of the framework shows. train_bench.py starts the script with one
process per rank (python, mpirun or torchrun). Rank 0 prints one line of JSON. samples_per_s is the number of samples of
all ranks divided by the wall time of the blocks of steps, without the first block. A step is forward pass, loss,
backward pass, exchange of gradients, SGD with momentum, and setting the gradients to None.

--tuning takes words separated by commas: nhwc (channels_last), fused (SGD in one kernel), view (DDP's gradients are
views of its buckets), bind (a rank uses one core only), compile (torch.compile).
"""

import argparse
import contextlib
import json
import os
import time

import torch
import torchvision
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.functional import cross_entropy


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 512), nn.ReLU(inplace=True),
                         nn.Linear(512, 512), nn.ReLU(inplace=True), nn.Linear(512, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(inplace=True), nn.Conv2d(32, 64, 3),
                         nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(9216, 128), nn.ReLU(inplace=True), nn.Linear(128, 10))


def resnet18_for_cifar():
    net = torchvision.models.resnet18(num_classes=10)
    net.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
    net.maxpool = nn.Identity()
    return net


MODELS = {  # constructor, shape of a sample, classes
    "mlp": (mlp, (1, 28, 28), 10),
    "cnn": (cnn, (1, 28, 28), 10),
    "resnet18": (resnet18_for_cifar, (3, 32, 32), 10),
    "resnet50": (torchvision.models.resnet50, (3, 224, 224), 1000),
}


class Peer:
    """One rank without a framework. The subclasses override the parts that a framework changes."""

    rank, ranks = 0, 1

    def __init__(self, arguments):
        self.tuning = set(filter(None, arguments.tuning.split(",")))
        self.autocast = arguments.precision == "bf16"

    def sgd(self, parameters):
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9,
                               fused=True if "fused" in self.tuning else None)

    def wrap(self, model):
        self.model = torch.compile(model) if "compile" in self.tuning else model
        self.optimizer = self.sgd(model.parameters())

    def loss(self, inputs, targets):
        cast = torch.autocast("cpu", torch.bfloat16) if self.autocast else contextlib.nullcontext()
        with cast:
            return cross_entropy(self.model(inputs), targets)

    def step(self, inputs, targets):
        self.loss(inputs, targets).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()  # sets gradients to None, the default

    def close(self):
        pass


def take_ranks_from_mpirun():
    """Sets the variables that torch.distributed reads, except the address of rank 0. torchrun sets them itself."""
    if "RANK" in os.environ:
        return
    for name in ("RANK", "LOCAL_RANK", "SIZE"):
        own = "WORLD_SIZE" if name == "SIZE" else name
        os.environ[own] = os.environ[f"OMPI_COMM_WORLD_{name}"]


class Ddp(Peer):
    def __init__(self, arguments):
        super().__init__(arguments)
        take_ranks_from_mpirun()
        torch.distributed.init_process_group("gloo")
        self.rank, self.ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()

    def wrap(self, model):
        model = nn.parallel.DistributedDataParallel(
            model, gradient_as_bucket_view="view" in self.tuning)
        super().wrap(model)

    def close(self):
        torch.distributed.destroy_process_group()


class ZeroRedundancy(Ddp):
    def sgd(self, parameters):
        return ZeroRedundancyOptimizer(
            parameters, optimizer_class=torch.optim.SGD, lr=0.01, momentum=0.9,
            fused=True if "fused" in self.tuning else None)


class Horovod(Peer):
    def __init__(self, arguments):
        super().__init__(arguments)
        import horovod.torch as hvd
        self.hvd = hvd
        hvd.init()
        self.rank, self.ranks = hvd.rank(), hvd.size()

    def wrap(self, model):
        super().wrap(model)
        self.hvd.broadcast_parameters(model.state_dict(), root_rank=0)
        self.optimizer = self.hvd.DistributedOptimizer(
            self.optimizer, named_parameters=model.named_parameters())

    def close(self):
        self.hvd.shutdown()


class DeepSpeed(Peer):
    def __init__(self, arguments):
        super().__init__(arguments)
        import deepspeed
        self.deepspeed = deepspeed
        take_ranks_from_mpirun()
        self.settings = {"train_micro_batch_size_per_gpu": arguments.batch,
                         "zero_optimization": {"stage": int(arguments.framework.split(":")[1])},
                         "zero_allow_untested_optimizer": True,
                         "torch_autocast": {"enabled": self.autocast, "dtype": "bfloat16"}}
        deepspeed.init_distributed("gloo")
        self.rank, self.ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()

    def wrap(self, model):
        self.model = self.deepspeed.initialize(
            model=model, optimizer=self.sgd(model.parameters()), config=self.settings)[0]

    def step(self, inputs, targets):
        self.model.backward(self.loss(inputs, targets))
        self.model.step()

    def close(self):
        torch.distributed.destroy_process_group()


FRAMEWORKS = {"none": Peer, "ddp": Ddp, "zero_redundancy": ZeroRedundancy, "horovod": Horovod,
              "deepspeed": DeepSpeed}


def make_batch(shape, classes, arguments, layout):
    torch.manual_seed(1)
    return (torch.randn(arguments.batch, *shape).to(memory_format=layout),
            torch.randint(classes, (arguments.batch,)))


def measure(peer, arguments):
    constructor, shape, classes = MODELS[arguments.model]
    layout = torch.channels_last if "nhwc" in peer.tuning else torch.contiguous_format
    model = constructor().to(memory_format=layout)
    parameters = sum(p.numel() for p in model.parameters())
    peer.wrap(model)
    batch = make_batch(shape, classes, arguments, layout)  # the same batch in every step, as in dlscale
    walls = []
    for _ in range(arguments.blocks):
        start = time.perf_counter()
        for _ in range(arguments.steps):
            peer.step(*batch)
        walls.append(time.perf_counter() - start)
    kept = walls[1:]
    samples = peer.ranks * arguments.batch * arguments.steps * len(kept)
    return {"samples_per_s": samples / sum(kept), "blocks_s": walls, "parameters": parameters,
            "torch": torch.__version__.split("+")[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--framework", required=True,
                        help=f"{', '.join(FRAMEWORKS)}; deepspeed with its stage, for example deepspeed:1")
    parser.add_argument("--model", required=True, choices=MODELS)
    parser.add_argument("--batch", type=int, required=True, help="number of samples of a rank in a step")
    parser.add_argument("--steps", type=int, required=True, help="number of steps of a block")
    parser.add_argument("--blocks", type=int, required=True, help="number of blocks, of which the first does not count")
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--tuning", default="", help="words separated by commas; see the head of this file")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    peer = FRAMEWORKS[arguments.framework.split(":")[0]](arguments)
    if "bind" in peer.tuning:
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[peer.rank % len(cores)]})
    result = measure(peer, arguments)
    if peer.rank == 0:
        print(json.dumps(result), flush=True)
    peer.close()


if __name__ == "__main__":
    main()
