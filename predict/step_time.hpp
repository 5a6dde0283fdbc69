// SPDX-License-Identifier: Apache-2.0
// How long an optimizer step takes on many GPUs, with the communication that the backward pass
// hides.
#pragma once

#include <functional>
#include <vector>

#include "contract/records/model_card.hpp"
#include "predict/all_reduce.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

// Communication that goes on while the backward pass does.

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

// How long an optimizer step takes on many GPUs.

/// When replicas agree.
enum class Agreement {
  at_once,        ///< when the backward pass has ended, bucket after bucket
  each_gradient,  ///< after the backward pass, one gradient after the other
  buckets,        ///< beside the backward pass
};

struct StepSetting {
  Agreement agreement = Agreement::buckets;
  Bytes first_bucket = kFirstBucket;
  Bytes bucket = kBucket;
  bool by_block = false;   ///< a bucket is the gradients of a block, however large it is
  double compression = 1;  ///< bytes that travel of each byte of gradients
  /// An exchange of gradients, in all-reduces of what travels: 1/2 where each rank gets its part
  /// alone, 3/2 where parameters are gathered twice as well. An all-gather or a reduce-scatter is
  /// half of an all-reduce, in hops and bytes.
  double volume = 1;
  /// What is gathered of the parameters after the optimizer's step, in all-reduces of all of them.
  double after_step = 0;
  bool every_pass = false;  ///< gradients are exchanged in every pass, not in the last alone
  Seconds cycle;            ///< that the last gradients wait for their exchange to begin
  int passes = 1;           ///< batches of a step, one after the other
  Seconds wait;             ///< of a step for its data, measured: nothing hides it
  Seconds slowest_wait;     ///< of a step of several ranks for the slowest of them: nor that
  double hidden_most = 1;   ///< of the time of collectives, however long the backward pass is
};

/// Of one step; the parts are on the critical path and add up to total().
struct StepTime {
  Seconds load_wait, forward, backward, exposed_comm, optimizer;
  Seconds slowest_wait;   ///< for the slowest rank; records have it within exposed_comm
  Seconds communication;  ///< hidden or not, of ranks that arrive together; no part of the sum
  Seconds total() const {
    return load_wait + forward + backward + exposed_comm + slowest_wait + optimizer;
  }
  /// Exposed communication where it is longer than computation; else what most of computation is.
  Bound bound = Bound::memory;
};

/// How long the ranks need for an all-reduce of so many bytes; nothing for one rank.
using AllReduceCost = std::function<Seconds(Bytes)>;

/// `times` are of one batch.
StepTime step_time(const contract::ModelCard& card, const ComputeTimes& times, int ranks,
                   const AllReduceCost& cost, const StepSetting& setting);

/// The messages of an exchange, unless each gradient goes by itself.
std::vector<Bucket> buckets_of(const contract::ModelCard& card, const ComputeTimes& times,
                               const StepSetting& setting);

}  // namespace dlscale::predict
