// SPDX-License-Identifier: Apache-2.0
// What is precompiled for the files that see LibTorch. All of <torch/torch.h> would be more than
// twice as much, of which every file that uses it makes what its headers leave pending: 4 s each.
#pragma once

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>
