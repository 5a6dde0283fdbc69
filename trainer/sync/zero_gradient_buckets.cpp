// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_gradient_buckets.hpp"

#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {

GradientBuckets::GradientBuckets(const BucketSettings& settings, std::int64_t partition_size,
                                 CollectiveQueue& queue, Take take)
    : settings_(settings), partition_size_(partition_size), queue_(queue), take_(std::move(take)) {
  settings_.elements = std::min(settings_.elements, partition_size * queue.size());
}

void GradientBuckets::add(const GradientPlace& place, const at::Tensor& gradient) {
  const FlatRange& range = place.range;
  const at::NoGradGuard no_gradients;
  if (current().filled > 0 && current().filled + range.count > settings_.elements) {
    reduce(current());
    if (settings_.overlaps) turn_ = 1 - turn_;
    complete(current());
  }
  Bucket& bucket = current();
  const std::int64_t room = std::max(settings_.elements, range.count);
  if (!bucket.buffer.defined() || bucket.buffer.numel() < room) {
    bucket.buffer = at::empty({room}, gradient.options());
  }
  bucket.buffer.narrow(0, bucket.filled, range.count).copy_(in_memory_order(gradient));
  bucket.entries.push_back({place, bucket.filled});
  bucket.filled += range.count;
}

void GradientBuckets::finish() {
  reduce(current());
  for (Bucket& bucket : {std::ref(buckets_[1 - turn_]), std::ref(buckets_[turn_])}) {
    complete(bucket);
  }
}

void GradientBuckets::reduce(Bucket& bucket) {
  if (bucket.filled == 0) return;
  const at::Tensor full = bucket.buffer.narrow(0, 0, bucket.filled);
  full.div_(queue_.size());
  if (settings_.to_owners) return reduce_to_owners(bucket);
  bucket.under_way.push_back(queue_.all_reduce(span_of(full), ReduceOp::sum, keeping(full)));
}

/// One reduction for each stretch of the bucket that one rank owns, whatever parameters it is of:
/// entries lie one behind the other without gaps.
void GradientBuckets::reduce_to_owners(Bucket& bucket) {
  FlatRange stretch;
  int owner = 0;
  const auto send = [&] {
    if (stretch.count == 0) return;
    const at::Tensor slice = bucket.buffer.narrow(0, stretch.first, stretch.count);
    bucket.under_way.push_back(queue_.reduce(span_of(slice), ReduceOp::sum, owner, keeping(slice)));
    stretch = {stretch.last(), 0};
  };
  for (const Entry& entry : bucket.entries) {
    for (int rank = 0; rank < queue_.size(); ++rank) {
      const FlatRange owned =
          entry.place.range.shared_with({rank * partition_size_, partition_size_});
      if (owned.count == 0) continue;
      if (rank != owner) send();
      owner = rank;
      stretch.count += owned.count;
    }
  }
  send();
}

void GradientBuckets::complete(Bucket& bucket) {
  const at::NoGradGuard no_gradients;
  for (const auto& work : bucket.under_way) exposed_s_ += queue_.wait_for(*work);
  for (const Entry& entry : bucket.entries) {
    take_(entry.place, bucket.buffer.narrow(0, entry.offset, entry.place.range.count));
  }
  bucket.under_way.clear();
  bucket.entries.clear();
  bucket.filled = 0;
}

double GradientBuckets::take_exposed_s() {
  return std::exchange(exposed_s_, 0);
}

}  // namespace dlscale::trainer
