// SPDX-License-Identifier: Apache-2.0
// Parameters in one vector of equal partitions, and gradients in buckets of it: what all stages of
// ZeRO rest on.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/comm/collective_queue.hpp"
#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

// Parameters in one vector that is cut into equal partitions, one for each rank.

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

// Gradients collected in contiguous buckets, and each bucket's mean over the ranks.

/// How buckets are reduced.
struct BucketSettings {
  std::int64_t elements = 0;  ///< most in a bucket, unless one gradient alone has more
  bool overlaps = false;      ///< the next bucket is filled while one is under way
  /// false: the bucket is all-reduced and each rank takes what it owns; true: each rank's slice is
  /// reduced to that rank.
  bool to_owners = false;
};

/// Whose gradient it is, and where it lies in the vector that the ranks own parts of.
struct GradientPlace {
  std::size_t parameter = 0;
  FlatRange range;
};

/// As DeepSpeed's contiguous gradients: a gradient is copied into the bucket; the bucket that
/// cannot take it is divided by the number of ranks first, then reduced.
class GradientBuckets {
 public:
  /// Gets gradients whose mean over the ranks is there.
  using Take = std::function<void(const GradientPlace&, const at::Tensor& mean)>;

  /// `partition_size`: what each rank owns, of ranks that own in order.
  GradientBuckets(const BucketSettings& settings, std::int64_t partition_size,
                  CollectiveQueue& queue, Take take);

  /// **Collective.** `gradient` is not needed any more.
  void add(const GradientPlace& place, const at::Tensor& gradient);
  /// **Collective.** Reduces what is left and returns when all has been taken.
  void finish();
  /// Seconds of waiting since it was last asked.
  double take_exposed_s();

 private:
  struct Entry {
    GradientPlace place;
    std::int64_t offset;  ///< in the bucket
  };
  struct Bucket {
    at::Tensor buffer;
    std::vector<Entry> entries;
    std::int64_t filled = 0;
    std::vector<std::shared_ptr<Work>> under_way;
  };
  void reduce(Bucket& bucket);
  void reduce_to_owners(Bucket& bucket);
  void complete(Bucket& bucket);
  Bucket& current() { return buckets_[turn_]; }

  BucketSettings settings_;
  std::int64_t partition_size_;
  CollectiveQueue& queue_;
  Take take_;
  std::array<Bucket, 2> buckets_;
  std::size_t turn_ = 0;
  double exposed_s_ = 0;
};

}  // namespace dlscale::trainer
