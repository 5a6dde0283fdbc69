// SPDX-License-Identifier: Apache-2.0
// From a loader's batch to numbers on the device.
#pragma once

#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"

namespace dlscale::trainer {

/// Copies batches that lie elsewhere to a device, without waiting if they are pinned, and
/// normalises images that are bytes, there.
class HandOver {
 public:
  /// `dataset` outlives the object.
  HandOver(const at::Device& device, const Dataset& dataset, Precision precision);
  Batch operator()(const Batch& batch) const;

 private:
  at::Tensor normalised(const at::Tensor& bytes) const;

  at::Device device_;
  const Dataset& dataset_;
  at::ScalarType type_;
  at::Tensor slope_, shift_;  ///< of each channel, on a GPU: 1 x channels x 1 x 1
};

}  // namespace dlscale::trainer
