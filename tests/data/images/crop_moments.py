#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints means of RandomResizedCrop's parts of a photograph, for tests/images/crop_test.cpp.

usage: crop_moments.py [DRAWS]     needs torch 2.11.0 and torchvision 0.26.0; 300,000 draws take half a minute
"""
import sys

import torch
from torchvision.transforms import RandomResizedCrop

draws = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
torch.manual_seed(0)
torch.set_num_threads(1)
image = torch.empty(3, 400, 533)
sums = [0, 0, 0, 0]
for _ in range(draws):
    for i, value in enumerate(RandomResizedCrop.get_params(image, [0.08, 1.0], [3 / 4, 4 / 3])):
        sums[i] += value
print("top {:.2f} left {:.2f} height {:.2f} width {:.2f}".format(*(s / draws for s in sums)))
