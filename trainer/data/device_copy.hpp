// SPDX-License-Identifier: Apache-2.0
// Copy of the batches of a loader to the device, and normalisation of images there.
#pragma once

#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"

namespace dlscale::trainer {

/// Function object that copies a batch to a device, unless the batch is already there. The copy is
/// asynchronous if the batch is in pinned memory. If the loader delivers images as bytes, they are
/// normalised on the device after the copy.
class DeviceCopy {
 public:
  /// Keeps a reference to `dataset`, which must outlive this object.
  DeviceCopy(const at::Device& device, const Dataset& dataset, Precision precision);
  Batch operator()(const Batch& batch) const;

 private:
  at::Tensor normalised(const at::Tensor& bytes) const;

  at::Device device_;
  const Dataset& dataset_;
  at::ScalarType type_;
  at::Tensor slope_, shift_;  ///< factor and offset per channel, only on a GPU
};

}  // namespace dlscale::trainer
