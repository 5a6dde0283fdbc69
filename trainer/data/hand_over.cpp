// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/hand_over.hpp"

#include <torch/types.h>

namespace dlscale::trainer {
namespace {

at::Tensor normalised(const at::Tensor& bytes, const Dataset& dataset, Precision precision) {
  constexpr double kBrightest = 255;
  const at::Tensor images = bytes.to(precision == Precision::fp64 ? at::kDouble : at::kFloat);
  for (std::size_t c = 0; c < dataset.mean.size(); ++c) {
    images.select(1, static_cast<std::int64_t>(c))
        .mul_(1 / (kBrightest * dataset.deviation[c]))
        .sub_(dataset.mean[c] / dataset.deviation[c]);
  }
  return images;
}

}  // namespace

Batch hand_over(const Batch& batch, const at::Device& device, const Dataset& dataset,
                Precision precision) {
  constexpr bool kWithoutWaiting = true;
  const bool target_is_input = batch.target.is_same(batch.input);
  at::Tensor input = batch.input.to(device, kWithoutWaiting);
  if (input.scalar_type() == at::kByte) input = normalised(input, dataset, precision);
  return {input, target_is_input ? input : batch.target.to(device, kWithoutWaiting)};
}

}  // namespace dlscale::trainer
