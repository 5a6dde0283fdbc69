// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_gradient_buckets.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <utility>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {

GradientBuckets::GradientBuckets(const BucketSettings& settings, std::int64_t partition_size,
                                 CollectiveQueue& queue, const base::Clock& clock, Take take)
    : settings_(settings),
      partition_size_(partition_size),
      queue_(queue),
      clock_(clock),
      take_(std::move(take)) {
  settings_.elements = std::min(settings_.elements, partition_size * queue.size());
}

void GradientBuckets::add(FlatRange range, const at::Tensor& gradient) {
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
  bucket.buffer.narrow(0, bucket.filled, range.count).copy_(gradient.reshape({-1}));
  bucket.entries.push_back({range, bucket.filled});
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

/// One reduction for each stretch that lies next to the one before, in bucket and owner.
void GradientBuckets::reduce_to_owners(Bucket& bucket) {
  for (const Entry& entry : bucket.entries) {
    for (int owner = 0; owner < queue_.size(); ++owner) {
      const FlatRange owned = entry.range.shared_with({owner * partition_size_, partition_size_});
      if (owned.count == 0) continue;
      const at::Tensor slice =
          bucket.buffer.narrow(0, entry.offset + owned.first - entry.range.first, owned.count);
      bucket.under_way.push_back(
          queue_.reduce(span_of(slice), ReduceOp::sum, owner, keeping(slice)));
    }
  }
}

void GradientBuckets::complete(Bucket& bucket) {
  const at::NoGradGuard no_gradients;
  const double begin_s = clock_.steady_s();
  for (const auto& work : bucket.under_way) work->wait();
  exposed_s_ += clock_.steady_s() - begin_s;
  for (const Entry& entry : bucket.entries) {
    take_(entry.range, bucket.buffer.narrow(0, entry.offset, entry.range.count));
  }
  bucket.under_way.clear();
  bucket.entries.clear();
  bucket.filled = 0;
}

double GradientBuckets::take_exposed_s() {
  return std::exchange(exposed_s_, 0);
}

}  // namespace dlscale::trainer
