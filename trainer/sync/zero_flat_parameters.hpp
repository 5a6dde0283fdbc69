// SPDX-License-Identifier: Apache-2.0
// Parameters in one vector that is cut into equal partitions, one for each rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

/// A stretch of the vector.
struct FlatRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t last() const { return first + count; }
  /// What both have; count 0 where that is nothing.
  FlatRange shared_with(const FlatRange& other) const;
};

/// The values of a tensor without gaps, in the order in which they lie in memory, which it shares.
at::Tensor in_memory_order(const at::Tensor& tensor);

/// Moves the parameters into one vector, in their order, with zeros at its end so that it divides
/// by the number of ranks: their tensors become views of it, in the memory format they had. A
/// parameter may lie in two partitions. Throws base::RunError (contract::kExitBadRunDescription)
/// for parameters of several types.
class FlatParameters {
 public:
  FlatParameters(const std::vector<at::Tensor>& parameters, int ranks);

  const at::Tensor& vector() const { return vector_; }  ///< ranks x partition_size()
  std::int64_t partition_size() const { return partition_size_; }
  FlatRange partition(int rank) const { return {rank * partition_size_, partition_size_}; }
  /// Where parameter `index` lies.
  FlatRange range(std::size_t index) const { return ranges_[index]; }
  /// What a rank's partition, as an optimizer's tensor, has of each parameter.
  std::vector<ParameterPiece> pieces(int rank) const;

 private:
  at::Tensor vector_;
  std::int64_t partition_size_;
  std::vector<FlatRange> ranges_;
  std::vector<bool> is_weight_;  ///< of two or more dimensions
};

}  // namespace dlscale::trainer
