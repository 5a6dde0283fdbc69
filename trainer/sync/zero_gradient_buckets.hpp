// SPDX-License-Identifier: Apache-2.0
// Flat parameter vector with one partition for each rank, and gradient buckets, for the stages of
// ZeRO.
//
// Problem: parameters differ in size, so they cannot be divided equally among the ranks one by one.
// Idea: all parameters are views of one vector, which is divided into equal partitions. A partition
// may begin or end within a parameter. Gradients are collected in buckets and reduced bucket by
// bucket.
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

// The following types describe the vector that contains all parameters and is divided into equal
// partitions, one for each rank.

/// Range of elements in the vector of all parameters.
struct FlatRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t last() const { return first + count; }
  /// Returns the intersection of this range and `other`. The count is 0 if the ranges do not
  /// overlap.
  FlatRange shared_with(const FlatRange& other) const;
};

/// Returns the values of a tensor without gaps as a vector in memory order. The vector shares the
/// memory of the tensor.
at::Tensor in_memory_order(const at::Tensor& tensor);

/// Vector of all parameters, in the order of the parameters. Zeros at the end make the length
/// divisible by the number of ranks. The constructor turns the parameters into views of the vector.
/// The parameters keep their memory format. A parameter may lie in more than one partition. Throws
/// base::RunError (contract::kExitBadRunDescription) if the parameters differ in element type.
class FlatParameters {
 public:
  FlatParameters(const std::vector<at::Tensor>& parameters, int ranks);

  const at::Tensor& vector() const { return vector_; }  ///< ranks x partition_size() elements
  std::int64_t partition_size() const { return partition_size_; }
  FlatRange partition(int rank) const { return {rank * partition_size_, partition_size_}; }
  /// Returns the range of the vector that holds parameter `index`.
  FlatRange range(std::size_t index) const { return ranges_[index]; }
  /// Returns the pieces of parameters that lie in the partition of `rank`. Offsets are relative to
  /// the start of the partition, because the optimizer updates the partition as one tensor.
  std::vector<ParameterPiece> pieces(int rank) const;

 private:
  at::Tensor vector_;
  std::int64_t partition_size_;
  std::vector<FlatRange> ranges_;
  std::vector<bool> is_weight_;  ///< true for parameters of two or more dimensions
};

// The following types collect gradients in buckets and compute the mean of each bucket over the
// ranks.

/// Settings of the reduction of buckets.
struct BucketSettings {
  std::int64_t elements = 0;  ///< maximum per bucket; a larger gradient gets a bucket of its own
  bool overlaps = false;      ///< true to fill the next bucket during a reduction
  /// Kind of the reduction. If false, a bucket is all-reduced, and each rank uses only the elements
  /// that it owns. If true, each element of a bucket is reduced only to the rank that owns the
  /// element.
  bool to_owners = false;
};

/// Index of the parameter to which a gradient belongs, and the range of the parameter in the vector
/// that is divided among the ranks.
struct GradientPlace {
  std::size_t parameter = 0;
  FlatRange range;
};

/// Buckets for gradients, as in DeepSpeed's contiguous gradients. Each gradient is copied to the
/// present bucket. When the next gradient does not fit in this bucket, the values in the bucket are
/// divided by the number of ranks and summed over the ranks.
class GradientBuckets {
 public:
  /// Callback that receives a gradient when its mean over the ranks is ready.
  using Receive = std::function<void(const GradientPlace&, const at::Tensor& mean)>;

  /// Makes empty buckets. `partition_size` is the number of elements that each rank owns. The
  /// partitions are in the order of ranks.
  GradientBuckets(const BucketSettings& settings, std::int64_t partition_size,
                  CollectiveQueue& queue, Receive receive);

  /// **Collective.** Copies `gradient` to a bucket. The caller may release `gradient` afterwards.
  void add(const GradientPlace& place, const at::Tensor& gradient);
  /// **Collective.** Reduces the remaining buckets and returns when the callback has received all
  /// gradients.
  void finish();
  /// Returns the seconds for which this object has waited for reductions since the last call of
  /// take_exposed_s().
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
  Receive receive_;
  std::array<Bucket, 2> buckets_;
  std::size_t turn_ = 0;
  double exposed_s_ = 0;
};

}  // namespace dlscale::trainer
