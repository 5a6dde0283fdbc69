// SPDX-License-Identifier: Apache-2.0
// How long an optimizer step takes on many GPUs.
#pragma once

#include <functional>

#include "contract/model_card.hpp"
#include "predict/all_reduce.hpp"
#include "predict/overlap.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

/// When replicas agree.
enum class Agreement {
  at_once,        ///< one all-reduce of all gradients after the backward pass
  each_gradient,  ///< after the backward pass, one gradient after the other
  buckets,        ///< beside the backward pass
};

struct StepSetting {
  Agreement agreement = Agreement::buckets;
  Bytes first_bucket = kFirstBucket;
  Bytes bucket = kBucket;
  /// Times the all-reduce of gradients: ZeRO's stages 0 to 2 send as much (reduce-scatter and
  /// all-gather), stage 3 half as much again.
  double volume = 1;
  int passes = 1;          ///< batches whose gradients are added up before they are exchanged
  Seconds load;            ///< for the data of a step, by all of a rank's loader threads
  Seconds wait;            ///< of a step for its data, measured: nothing hides it
  double hidden_most = 1;  ///< of the time of collectives, however long the backward pass is
  Seconds rank_deviation;  ///< of a rank's own time from step to step
};

/// Of one step; the parts are on the critical path and add up to total().
struct StepTime {
  Seconds load_wait, forward, backward, exposed_comm, optimizer;
  Seconds straggling;     ///< waiting for the slowest rank
  Seconds communication;  ///< hidden or not; no part of the sum
  Seconds total() const {
    return load_wait + forward + backward + exposed_comm + optimizer + straggling;
  }
  /// Exposed communication where it is longer than computation; else what most of computation is.
  Bound bound = Bound::memory;
};

/// How long the ranks need for an all-reduce of so many bytes; nothing for one rank.
using AllReduceCost = std::function<Seconds(Bytes)>;

/// `times` are of one batch. The slowest of P ranks takes mean + deviation x √(2 ln P).
StepTime step_time(const contract::ModelCard& card, const ComputeTimes& times, int ranks,
                   const AllReduceCost& cost, const StepSetting& setting);

/// E[max of `ranks` normal times] - mean, for the standard deviation of one.
Seconds straggling(Seconds deviation, int ranks);

}  // namespace dlscale::predict
