// SPDX-License-Identifier: Apache-2.0
// Copy of the batches of a loader to the device, and normalisation of images there.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"

namespace dlscale::trainer {

/// Function object that copies a batch to a device, unless the batch is already there. The copy is
/// asynchronous if the batch is in pinned memory. If the loader delivers images as bytes, they are
/// normalised on the device after the copy.
class DeviceCopy {
 public:
  /// `dataset` provides the mean and the deviation of each channel.
  DeviceCopy(const at::Device& device, const Dataset& dataset, Precision precision);
  Batch operator()(const Batch& batch) const;

 private:
  at::Tensor normalised(const at::Tensor& bytes) const;

  at::Device device_;
  at::ScalarType type_;
  std::vector<double> slopes_, shifts_;  ///< a channel is normalised as slope x byte - shift
  at::Tensor gpu_slopes_, gpu_shifts_;   ///< slopes_ and shifts_ as tensors on the GPU
};

}  // namespace dlscale::trainer
