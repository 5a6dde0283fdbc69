// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_gradient_buckets.hpp"

#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/sync/tensor_collectives.hpp"

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

GradientBuckets::GradientBuckets(const BucketSettings& settings, std::int64_t partition_size,
                                 CollectiveQueue& queue, Receive receive)
    : settings_(settings),
      partition_size_(partition_size),
      queue_(queue),
      receive_(std::move(receive)) {
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

/// Divides the bucket into ranges, each of which belongs to a single rank, and reduces each range
/// to that rank. A range may contain several parameters, because their gradients are contiguous in
/// the bucket.
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
    receive_(entry.place, bucket.buffer.narrow(0, entry.offset, entry.place.range.count));
  }
  bucket.under_way.clear();
  bucket.entries.clear();
  bucket.filled = 0;
}

double GradientBuckets::take_exposed_s() {
  return std::exchange(exposed_s_, 0);
}

}  // namespace dlscale::trainer
