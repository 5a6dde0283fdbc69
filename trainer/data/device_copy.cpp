// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/device_copy.hpp"

#include <torch/types.h>

namespace dlscale::trainer {

DeviceCopy::DeviceCopy(const at::Device& device, const Dataset& dataset, Precision precision)
    : device_(device), type_(precision == Precision::fp64 ? at::kDouble : at::kFloat) {
  constexpr double kBrightest = 255;
  for (std::size_t c = 0; c < dataset.mean.size(); ++c) {
    slopes_.push_back(1 / (kBrightest * dataset.deviation[c]));
    shifts_.push_back(dataset.mean[c] / dataset.deviation[c]);
  }
  if (!device.is_cuda()) return;
  const auto per_channel = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).to(device, type_).view({1, -1, 1, 1});
  };
  gpu_slopes_ = per_channel(slopes_);
  gpu_shifts_ = per_channel(shifts_);
}

Batch DeviceCopy::operator()(const Batch& batch) const {
  constexpr bool kWithoutWaiting = true;
  const bool target_is_input = batch.target.is_same(batch.input);
  at::Tensor input = batch.input.to(device_, kWithoutWaiting);
  if (input.scalar_type() == at::kByte) input = normalised(input);
  return {input, target_is_input ? input : batch.target.to(device_, kWithoutWaiting)};
}

at::Tensor DeviceCopy::normalised(const at::Tensor& bytes) const {
  // The GPU normalises all channels in two passes. Separate passes for each channel would read the
  // memory of all channels every time.
  if (gpu_slopes_.defined()) return at::mul(bytes, gpu_slopes_).sub_(gpu_shifts_);
  const at::Tensor images = bytes.to(type_);
  for (std::size_t c = 0; c < slopes_.size(); ++c) {
    images.select(1, static_cast<std::int64_t>(c)).mul_(slopes_[c]).sub_(shifts_[c]);
  }
  return images;
}

}  // namespace dlscale::trainer
