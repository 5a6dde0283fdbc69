#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints models of torchvision in numbers, as torchvision_reference.cpp of the tests reads them.

usage: torchvision_reference.py MODEL…      resnet18, vgg16_bn, …; as float64, filled by name
"""
import json
import sys

import numpy
import torch
import torchvision


def unit(name, count):
    """In [0, 1): the finaliser of splitmix64 over FNV-1a of the name."""
    hashed = 0xCBF29CE484222325
    for byte in name.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
    z = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    z += numpy.uint64(hashed)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> numpy.uint64(31))) >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53


def values(name, shape, scale=1.0, shift=0.0):
    made = torch.from_numpy(2 * unit(name, int(numpy.prod(shape))) - 1).reshape(shape)
    return scale * made + shift


def filling(name, shape):
    if name.endswith("running_mean"):
        return values(name, shape, 0.2)
    if name.endswith("running_var"):
        return values(name, shape, 0.5, 1)
    if name.endswith("num_batches_tracked"):
        return torch.zeros(shape)
    if name.endswith("bias"):
        return values(name, shape, 0.1)
    if len(shape) == 1:
        return values(name, shape, 0.3, 0.5)
    return values(name, shape, (6 / numpy.prod(shape[1:])) ** 0.5)


def filled(name):
    with torch.device("meta"):
        net = torchvision.models.get_model(name).double()
    net.to_empty(device="cpu")
    with torch.no_grad():
        for part, tensor in net.state_dict().items():
            tensor.copy_(filling(part, tuple(tensor.shape)))
    return net


def rounded(number):
    return float(f"{float(number):.13g}")


def scores(logits):
    return [{"first8": [rounded(x) for x in one[:8]], "sum": rounded(one.sum()),
             "l2": rounded(one.norm()), "argmax": int(one.argmax())} for one in logits.detach()]


def one_pass(net, training):
    net.train(training)
    logits = net(values("input", (2, 3, 64, 64)))
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([3, 7]))
    loss.backward()
    norms, dots = [], []
    for name, parameter in net.named_parameters():
        norms.append(parameter.grad.norm())
        dots.append((parameter.grad * values("probe:" + name, tuple(parameter.shape))).sum())
    net.zero_grad()
    return {"logits": scores(logits), "loss": rounded(loss.detach()),
            "grad_l2": rounded(torch.stack(norms).norm()),
            "grad_l2_by_param": [rounded(x) for x in norms],
            "grad_dot_by_param": [rounded(x) for x in dots]}


def numbers(name):
    net = filled(name).eval()
    with torch.no_grad():
        large = {"logits": scores(net(values("input", (1, 3, 224, 224))))}
    found = {"param_count": sum(p.numel() for p in net.parameters()),
             "param_sum": rounded(sum(p.detach().sum() for p in net.parameters())),
             "params": [[part, list(p.shape)] for part, p in net.named_parameters()],
             "buffers": [[part, list(b.shape)] for part, b in net.named_buffers()],
             "eval_1x3x224x224": large, "eval_2x3x64x64": one_pass(net, False)}
    found["train_2x3x64x64"] = "left out"
    if found["buffers"] and not any(isinstance(x, torch.nn.Dropout) for x in net.modules()):
        found["train_2x3x64x64"] = one_pass(net, True)
        found["train_2x3x64x64"]["running_sum_after"] = {
            end: rounded(sum(b.sum() for part, b in net.named_buffers() if part.endswith(end)))
            for end in ("running_mean", "running_var")}
    return found


print('{"torch": "%s", "torchvision": "%s",' % (torch.__version__, torchvision.__version__))
print(' "check": {"unit_fc_weight_first4": %s},' % json.dumps(list(unit("fc.weight", 4))))
print(' "models": {')
parts = []
for model in sys.argv[1:]:
    lines = ",\n".join(f'   "{k}": {json.dumps(value)}' for k, value in numbers(model).items())
    parts.append(f'  "{model}": {{\n{lines}}}')
print(",\n".join(parts) + "\n}}")
