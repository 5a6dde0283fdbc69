// SPDX-License-Identifier: Apache-2.0
// Conversion of a loader's batch to normalised numbers on the device.
#pragma once

#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"

namespace dlscale::trainer {

/// Copies batches to a device unless they are already there, without waiting if the memory is
/// pinned. Normalises images that are bytes on the device.
class DeviceCopy {
 public:
  /// Keeps a reference to `dataset`, which must outlive the object.
  DeviceCopy(const at::Device& device, const Dataset& dataset, Precision precision);
  Batch operator()(const Batch& batch) const;

 private:
  at::Tensor normalised(const at::Tensor& bytes) const;

  at::Device device_;
  const Dataset& dataset_;
  at::ScalarType type_;
  at::Tensor slope_, shift_;  ///< factor and offset of each channel on a GPU, 1 x channels x 1 x 1
};

}  // namespace dlscale::trainer
