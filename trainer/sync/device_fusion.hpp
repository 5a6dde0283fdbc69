// SPDX-License-Identifier: Apache-2.0
// Horovod's fusion buffer on a device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "trainer/sync/horovod/fusion_buffer.hpp"

namespace dlscale::trainer {

/// Works on a stream of its own, beside what computes.
std::unique_ptr<horovod::FusionBuffer> make_device_fusion(at::Device device);

}  // namespace dlscale::trainer
