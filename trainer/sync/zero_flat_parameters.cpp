// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_flat_parameters.hpp"

#include <torch/types.h>

#include <algorithm>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

FlatRange FlatRange::shared_with(const FlatRange& other) const {
  const std::int64_t begin = std::max(first, other.first);
  return {begin, std::max<std::int64_t>(0, std::min(last(), other.last()) - begin)};
}

at::Tensor in_memory_order(const at::Tensor& tensor) {
  return tensor.as_strided({tensor.numel()}, {1});
}

FlatParameters::FlatParameters(const std::vector<at::Tensor>& parameters, int ranks) {
  const at::NoGradGuard no_gradients;
  std::int64_t total = 0;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.scalar_type() != parameters.front().scalar_type()) {
      throw base::RunError("deepspeed: all parameters must be of one type",
                           contract::kExitBadRunDescription);
    }
    ranges_.push_back({total, parameter.numel()});
    is_weight_.push_back(parameter.dim() >= 2);
    total += parameter.numel();
  }
  partition_size_ = (total + ranks - 1) / ranks;
  vector_ = at::zeros({ranks * partition_size_}, parameters.front().options().requires_grad(false));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    at::Tensor parameter = parameters[i];
    const at::Tensor place =
        vector_.as_strided(parameter.sizes(), parameter.strides(), ranges_[i].first);
    place.copy_(parameter);
    parameter.set_data(place);
  }
}

std::vector<ParameterPiece> FlatParameters::pieces(int rank) const {
  std::vector<ParameterPiece> pieces;
  const FlatRange mine = partition(rank);
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const FlatRange owned = ranges_[i].shared_with(mine);
    pieces.push_back({.first = owned.count > 0 ? owned.first - mine.first : 0,
                      .count = owned.count,
                      .parameter = i,
                      .is_weight = is_weight_[i]});
  }
  return pieces;
}

}  // namespace dlscale::trainer
