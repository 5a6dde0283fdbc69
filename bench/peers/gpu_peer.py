#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a model with PyTorch on one GPU, on a batch that stays in GPU memory, and prints the rate.

The step is that of dlscale-train: forward pass under autocast, cross-entropy, backward pass and fused SGD
with momentum. --sides lists how Python runs the step: eager; compile (torch.compile); reduce-overhead
(torch.compile with CUDA graphs); graph (the whole step as one CUDA graph). The script prints one line of JSON
for each side. samples_per_s is the median over blocks of steps.
"""

import argparse
import json
import statistics
import sys
import time

import torch
import torchvision
from torch.nn.functional import cross_entropy

import peer

WARM_UP_STEPS = 11


MODELS = {  # constructor, shape of a sample, classes
    **peer.MODELS,
    "densenet121": (torchvision.models.densenet121, (3, 224, 224), 1000),
    "vgg16": (torchvision.models.vgg16, (3, 224, 224), 1000),
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], required=True)
    parser.add_argument("--sides", required=True,
                        help="sides separated by spaces: eager, graph, compile, reduce-overhead")
    parser.add_argument("--steps", type=int, default=20, help="number of steps of a block")
    parser.add_argument("--blocks", type=int, default=5)
    return parser.parse_args()


def make_step(arguments, side):
    make, shape, classes = MODELS[arguments.model]
    narrow = arguments.precision == "bf16"
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = arguments.precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = arguments.precision != "fp32"
    layout = torch.channels_last if narrow else torch.contiguous_format
    model = make().cuda().to(memory_format=layout)
    inputs = torch.randn(arguments.batch, *shape, device="cuda").to(memory_format=layout)
    targets = torch.randint(classes, (arguments.batch,), device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    forward = model
    if side == "compile":
        forward = torch.compile(model)
    if side == "reduce-overhead":
        forward = torch.compile(model, mode="reduce-overhead")

    def step():
        optimizer.zero_grad()  # sets gradients to None, so that the backward pass stores them instead of adding
        with torch.autocast("cuda", torch.bfloat16, enabled=narrow,
                            cache_enabled=side != "graph"):
            loss = cross_entropy(forward(inputs), targets)
        loss.backward()
        optimizer.step()

    return step


def captured(step):
    """Captures the step as one CUDA graph and returns a function that replays the graph.

    Warm-up steps on a side stream initialise the libraries before the capture.
    """
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def measure(arguments, side):
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    begin = time.perf_counter()
    step = make_step(arguments, side)
    if side == "graph":
        step = captured(step)
    for _ in range(WARM_UP_STEPS):
        step()
    torch.cuda.synchronize()
    warm_s = time.perf_counter() - begin
    rates = []
    for _ in range(arguments.blocks):
        start = time.perf_counter()
        for _ in range(arguments.steps):
            step()
        torch.cuda.synchronize()
        rates.append(arguments.steps * arguments.batch / (time.perf_counter() - start))
    print(json.dumps({"side": side, "samples_per_s": round(statistics.median(rates), 1),
                      "slowest": round(min(rates), 1), "fastest": round(max(rates), 1),
                      "start_s": round(warm_s, 1),
                      "peak_memory_bytes": torch.cuda.max_memory_allocated(),
                      "torch": torch.__version__}), flush=True)


def main():
    arguments = parse()
    for side in arguments.sides.split():
        try:
            measure(arguments, side)
        except RuntimeError as error:
            print(f"{side}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
