// SPDX-License-Identifier: Apache-2.0
// Communication that goes on while the backward pass does.
#pragma once

#include <functional>
#include <vector>

#include "predict/roofline.hpp"

namespace dlscale::predict {

/// Gradients that are reduced together.
struct Bucket {
  Bytes size;
  Seconds ready;  ///< after the beginning of the backward pass: its last gradient exists
};

/// What PyTorch's DistributedDataParallel does unless told otherwise.
inline constexpr Bytes kFirstBucket = kMebibyte;
inline constexpr Bytes kBucket{25 * kMebibyte.value};

/// Gradients in the order in which the backward pass makes them; a bucket is closed by the gradient
/// with which it reaches its limit, `first` or `others`. c10d's compute_bucket_assignment_by_size.
std::vector<Bucket> gradient_buckets(const contract::ModelCard& card, const ComputeTimes& times,
                                     Bytes first = kFirstBucket, Bytes others = kBucket);

/// Those of a block of the model together, ready with the last of them: ZeRO's stage 3.
std::vector<Bucket> block_buckets(const contract::ModelCard& card, const ComputeTimes& times);

struct Overlap {
  Seconds total;    ///< of all reductions
  Seconds exposed;  ///< what of it the backward pass does not hide
  /// 1 - exposed / total; 1 where nothing is reduced.
  double hidden() const { return total.value > 0 ? 1 - exposed / total : 1; }
};

/// One reduction after the other: f = max(f of the one before, ready) + cost.
Overlap overlap(const std::vector<Bucket>& buckets, Seconds backward,
                const std::function<Seconds(Bytes)>& cost);

}  // namespace dlscale::predict
