// SPDX-License-Identifier: Apache-2.0
// Precompiled header for the source files that include LibTorch. The header includes only a part of
// <torch/torch.h>. The whole of <torch/torch.h> would more than double the size of the precompiled
// header, and each source file that uses it would take 4 s longer to compile.
#pragma once

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>
