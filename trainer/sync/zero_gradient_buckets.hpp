// SPDX-License-Identifier: Apache-2.0
// Gradients collected in contiguous buckets, and each bucket's mean over the ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/comm/collective_queue.hpp"
#include "trainer/sync/zero_flat_parameters.hpp"

namespace dlscale::trainer {

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
