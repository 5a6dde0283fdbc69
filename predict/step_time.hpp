// SPDX-License-Identifier: Apache-2.0
// Predicts the time of an optimizer step on many GPUs, with the communication that the backward
// pass hides.
#pragma once

#include <functional>
#include <vector>

#include "contract/records/model_card.hpp"
#include "predict/all_reduce.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

// The following declarations describe the communication during the backward pass.

/// Gradients that are reduced together.
struct Bucket {
  Bytes size;
  Seconds ready;  ///< time from the start of the backward pass to the last gradient of the bucket
};

/// Default bucket limits of PyTorch's DistributedDataParallel.
inline constexpr Bytes kFirstBucket = kMebibyte;
inline constexpr Bytes kBucket{25 * kMebibyte.value};

/// Returns the buckets of all gradients in the order in which the backward pass makes the
/// gradients. A bucket closes with the gradient that reaches the limit of the bucket: `first` for
/// the first bucket, `others` for later buckets. See c10d's compute_bucket_assignment_by_size.
std::vector<Bucket> gradient_buckets(const contract::ModelCard& card, const ComputeTimes& times,
                                     Bytes first = kFirstBucket, Bytes others = kBucket);

/// Returns one bucket for each block of the model, as in ZeRO stage 3. A bucket is ready when the
/// last gradient of its block exists.
std::vector<Bucket> block_buckets(const contract::ModelCard& card, const ComputeTimes& times);

/// Time of reductions and the part that the backward pass does not hide.
struct Overlap {
  Seconds total;    ///< time of all reductions
  Seconds exposed;  ///< part of the time that the backward pass does not hide
  /// Returns 1 - exposed / total, or 1 if nothing is reduced.
  double hidden() const { return total.value > 0 ? 1 - exposed / total : 1; }
};

/// Returns the times of reductions that run one after another. A reduction finishes at f = max(f of
/// the previous reduction, ready) + cost, where `ready` is the time at which its bucket is
/// complete.
Overlap overlap(const std::vector<Bucket>& buckets, Seconds backward,
                const std::function<Seconds(Bytes)>& cost);

// The following declarations predict the time of an optimizer step on many GPUs.

/// Way in which replicas exchange gradients.
enum class Agreement {
  at_once,        ///< buckets one after another, after the backward pass
  each_gradient,  ///< gradients one after another, after the backward pass
  buckets,        ///< buckets during the backward pass
  /// The first device owns the model. In each pass it sends parameters and samples to the other
  /// devices, and collects outputs and gradients.
  central,
};

/// Settings of a step that determine its communication and waiting.
struct StepSetting {
  Agreement agreement = Agreement::buckets;
  Bytes first_bucket = kFirstBucket;
  Bytes bucket = kBucket;
  bool by_block = false;   ///< flag: a bucket has all gradients of one block, of any size
  double compression = 1;  ///< bytes sent per byte of gradients
  /// Cost of an exchange of gradients, relative to one all-reduce of the sent bytes. An all-gather
  /// or a reduce-scatter costs half of an all-reduce, in hops and in bytes. The relative cost is
  /// therefore 1/2 if each rank receives only its own partition of the gradients. It is 3/2 if, in
  /// addition, parameters are gathered twice.
  double volume = 1;
  /// Cost of gathering parameters after the optimizer's step, relative to one all-reduce of all
  /// parameters.
  double after_step = 0;
  bool every_pass = false;    ///< flag: every pass exchanges gradients, not only the last pass
  Seconds cycle;              ///< delay before the exchange of the last gradients begins
  int passes = 1;             ///< number of batches that a step processes one after another
  Seconds wait;               ///< measured time for which a step waits for its data; never hidden
  Seconds slowest_wait;       ///< time for which ranks wait for the slowest rank; never hidden
  double hidden_most = 1;     ///< largest share of the time of collectives that computation hides
  bool forward_only = false;  ///< flag: inference, a step is the forward pass of one batch
  double batch = 1;           ///< samples of a rank in a pass, for Agreement::central
  /// Flag for Agreement::central: the first device sends to all other devices at the same time.
  bool sends_in_parallel = false;
};

/// Time of one step. The members that total() adds are on the critical path.
struct StepTime {
  Seconds load_wait, forward, backward, exposed_comm, optimizer;
  Seconds slowest_wait;   ///< wait for the slowest rank; records of runs count it as exposed_comm
  Seconds communication;  ///< collectives without waits, hidden or exposed; not in total()
  Seconds computing() const { return forward + backward + optimizer; }
  /// Convolutions, matrix products, normalisation, pooling and softmax in the passes. Profiles of
  /// runs call these kernels "computation". Part of `forward` and `backward`, so not in total().
  Seconds main_kernels;
  Seconds total() const { return load_wait + computing() + exposed_comm + slowest_wait; }
  /// Resource that limits the step: communication if the exposed communication takes longer than
  /// the computation, otherwise the resource that limits most of the computation.
  Bound bound = Bound::memory;
};

/// Function that returns the time of an all-reduce of a message over the ranks. The time is 0 for
/// one rank. For Agreement::central, the function returns the time of a message between the first
/// device and another device.
using AllReduceCost = std::function<Seconds(Bytes)>;

/// Returns the time of a step. `times` are the computation times of one batch.
StepTime step_time(const contract::ModelCard& card, const ComputeTimes& times, int ranks,
                   const AllReduceCost& cost, const StepSetting& setting);

/// Returns the messages in which ranks exchange gradients. Must not be called for
/// Agreement::each_gradient and Agreement::central, which send each gradient separately.
std::vector<Bucket> buckets_of(const contract::ModelCard& card, const ComputeTimes& times,
                               const StepSetting& setting);

}  // namespace dlscale::predict
