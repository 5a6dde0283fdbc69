#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small state dictionaries of this folder with PyTorch's torch.save(), in both formats.

usage: make_files.py        needs PyTorch; the files in the tree were written by PyTorch 2.11.0
"""
import pathlib

import torch


class Net(torch.nn.Module):
    """A module with a tied weight, a buffer of integers and a weight in the layout channels last."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 3, 2).to(memory_format=torch.channels_last)
        self.bn = torch.nn.BatchNorm2d(3)
        self.encoder = torch.nn.Linear(4, 2)
        self.decoder = torch.nn.Linear(4, 2, bias=False)
        self.decoder.weight = self.encoder.weight


def main():
    net = Net()
    net.bn.num_batches_tracked.fill_(12)
    state = net.state_dict()
    for number, tensor in enumerate(state.values()):
        if tensor.is_floating_point():
            tensor.copy_(number + torch.arange(tensor.numel()).reshape(tensor.shape) / 64)
    for kind in (torch.float64, torch.float16, torch.bfloat16):
        state[str(kind).removeprefix("torch.")] = torch.arange(6).to(kind).reshape(2, 3).t()
    folder = pathlib.Path(__file__).parent
    torch.save(state, folder / "zip.pth")
    torch.save(state, folder / "older.pth", _use_new_zipfile_serialization=False)
    torch.save(dict(net.named_parameters()), folder / "parameters.pth", pickle_protocol=4)
    torch.save({"epoch": 3, "state_dict": state}, folder / "checkpoint.pth")


if __name__ == "__main__":
    main()
