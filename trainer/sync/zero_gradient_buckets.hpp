// SPDX-License-Identifier: Apache-2.0
// Flat parameter vector with one partition for each rank, and gradient buckets. All stages of ZeRO
// use them.
//
// Problem: parameters differ in size, so they cannot be divided equally among the ranks one by one.
// Idea: all parameters are views of one vector, which is cut into equal partitions. A partition may
// begin or end within a parameter. Gradients are collected in buckets and reduced bucket by bucket.
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

/// Range of the vector.
struct FlatRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t last() const { return first + count; }
  /// Returns the intersection of both ranges, with count 0 if it is empty.
  FlatRange shared_with(const FlatRange& other) const;
};

/// Returns the values of a tensor without gaps as a vector in memory order. The vector shares the
/// memory of the tensor.
at::Tensor in_memory_order(const at::Tensor& tensor);

/// Vector of all parameters, in their order. Zeros at the end make its length divisible by the
/// number of ranks. The tensors of the parameters become views of the vector and keep their memory
/// format. A parameter may lie in two partitions. Throws base::RunError
/// (contract::kExitBadRunDescription) for parameters of several types.
class FlatParameters {
 public:
  FlatParameters(const std::vector<at::Tensor>& parameters, int ranks);

  const at::Tensor& vector() const { return vector_; }  ///< vector of ranks x partition_size()
  std::int64_t partition_size() const { return partition_size_; }
  FlatRange partition(int rank) const { return {rank * partition_size_, partition_size_}; }
  /// Returns the range of parameter `index`.
  FlatRange range(std::size_t index) const { return ranges_[index]; }
  /// Returns the pieces of the parameters in the partition of a rank. Offsets are those in the
  /// partition, which is a tensor of the optimizer.
  std::vector<ParameterPiece> pieces(int rank) const;

 private:
  at::Tensor vector_;
  std::int64_t partition_size_;
  std::vector<FlatRange> ranges_;
  std::vector<bool> is_weight_;  ///< parameters of two or more dimensions
};

// Gradient buckets, and the mean of each bucket over the ranks.

/// Settings of the reduction of buckets.
struct BucketSettings {
  std::int64_t elements = 0;  ///< maximum in a bucket; a larger gradient gets its own
  bool overlaps = false;      ///< next bucket is filled during a reduction
  /// Kind of the reduction. false: the bucket is all-reduced and each rank uses the part that it
  /// owns. true: the slice of each rank is reduced to this rank.
  bool to_owners = false;
};

/// Parameter of a gradient, and its range in the vector that is divided among the ranks.
struct GradientPlace {
  std::size_t parameter = 0;
  FlatRange range;
};

/// Buckets like DeepSpeed's contiguous gradients. A gradient is copied to the bucket. A bucket
/// without enough room for the next gradient is divided by the number of ranks and then reduced.
class GradientBuckets {
 public:
  /// Callback for gradients whose mean over the ranks is ready.
  using Take = std::function<void(const GradientPlace&, const at::Tensor& mean)>;

  /// Makes empty buckets. `partition_size` is the number of elements that each rank owns. The
  /// partitions are in the order of ranks.
  GradientBuckets(const BucketSettings& settings, std::int64_t partition_size,
                  CollectiveQueue& queue, Take take);

  /// **Collective.** Copies `gradient` to a bucket. The gradient is not needed afterwards.
  void add(const GradientPlace& place, const at::Tensor& gradient);
  /// **Collective.** Reduces the remaining buckets and returns when all gradients have been taken.
  void finish();
  /// Returns the seconds of waiting since the last call.
  double take_exposed_s();

 private:
  struct Entry {
    GradientPlace place;
    std::int64_t offset;  ///< offset in the bucket
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
