// SPDX-License-Identifier: Apache-2.0
// What is precompiled for the files that see LibTorch.
#pragma once

#include <torch/torch.h>
