#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the recipe of examples/studies/accuracy/cifar10-resnet18.toml with torchvision and PyTorch.

  bench/peers/cifar10.py DATA/cifar10 [--seeds 1,2,3] [--epochs 3]

DATA/cifar10 holds train/<class>/*.jpg and test/<class>/*.jpg. The script runs in the environment of peers/setup.
It prints a line of JSON for each epoch: accuracy and loss on the test images, and seconds of training.
"""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder

from peer import resnet18_for_cifar


def loaders(folder):
    seen = [transforms.ToTensor(),
            transforms.Normalize((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))]
    moved = [transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip()]
    train = ImageFolder(f"{folder}/train", transforms.Compose(moved + seen))
    test = ImageFolder(f"{folder}/test", transforms.Compose(seen))
    return DataLoader(train, 128, shuffle=True), DataLoader(test, 250)


def train_epoch(model, optimizer, batches):
    model.train()
    for images, labels in batches:
        optimizer.zero_grad()
        images = images.contiguous(memory_format=torch.channels_last)
        cross_entropy(model(images), labels).backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    loss, right, count = 0.0, 0, 0
    for images, labels in batches:
        outputs = model(images.contiguous(memory_format=torch.channels_last))
        loss += cross_entropy(outputs, labels, reduction="sum").item()
        right += (outputs.argmax(1) == labels).sum().item()
        count += len(labels)
    return right / count, loss / count


def train(seed, epochs, train_batches, test_batches):
    torch.manual_seed(seed)
    model = resnet18_for_cifar().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    accuracy = 0
    for epoch in range(1, epochs + 1):
        start = time.perf_counter()
        train_epoch(model, optimizer, train_batches)
        seconds = time.perf_counter() - start
        accuracy, loss = evaluate(model, test_batches)
        print(json.dumps({"seed": seed, "epoch": epoch, "accuracy": accuracy,
                          "loss": round(loss, 4), "training_s": round(seconds, 1)}), flush=True)
    return accuracy


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=lambda text: [int(s) for s in text.split(",")],
                        default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    reached = [train(seed, arguments.epochs, *loaders(arguments.folder))
               for seed in arguments.seeds]
    print(json.dumps({"seeds": len(reached), "mean": statistics.mean(reached),
                      "smallest": min(reached), "largest": max(reached)}))


if __name__ == "__main__":
    main()
