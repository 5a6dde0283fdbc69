// SPDX-License-Identifier: Apache-2.0
// From a loader's batch in host memory to the numbers on the device.
#pragma once

#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"

namespace dlscale::trainer {

/// Copies what lies elsewhere, without waiting where the batch is pinned; normalises images that
/// are bytes, there.
Batch hand_over(const Batch& batch, const at::Device& device, const Dataset& dataset,
                Precision precision);

}  // namespace dlscale::trainer
