// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/device_copy.hpp"

#include <torch/types.h>

#include <vector>

namespace dlscale::trainer {
namespace {

constexpr double kBrightest = 255;

}  // namespace

DeviceCopy::DeviceCopy(const at::Device& device, const Dataset& dataset, Precision precision)
    : device_(device),
      dataset_(dataset),
      type_(precision == Precision::fp64 ? at::kDouble : at::kFloat) {
  if (!device.is_cuda()) return;
  std::vector<double> slope, shift;
  for (std::size_t c = 0; c < dataset.mean.size(); ++c) {
    slope.push_back(1 / (kBrightest * dataset.deviation[c]));
    shift.push_back(dataset.mean[c] / dataset.deviation[c]);
  }
  const auto per_channel = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).to(device, type_).view({1, -1, 1, 1});
  };
  slope_ = per_channel(slope);
  shift_ = per_channel(shift);
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
  if (slope_.defined()) return at::mul(bytes, slope_).sub_(shift_);
  const at::Tensor images = bytes.to(type_);
  for (std::size_t c = 0; c < dataset_.mean.size(); ++c) {
    images.select(1, static_cast<std::int64_t>(c))
        .mul_(1 / (kBrightest * dataset_.deviation[c]))
        .sub_(dataset_.mean[c] / dataset_.deviation[c]);
  }
  return images;
}

}  // namespace dlscale::trainer
