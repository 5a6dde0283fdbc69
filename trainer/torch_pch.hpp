// SPDX-License-Identifier: Apache-2.0
// Precompiled header for the files that include LibTorch. All of <torch/torch.h> would more than
// double its size, and every file that uses it would then take 4 s longer to compile.
#pragma once

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>
