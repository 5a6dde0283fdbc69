// SPDX-License-Identifier: Apache-2.0
// Predicts how much device memory a run needs and whether the run fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

/// Memory of a rank beyond the sum of its card, as a line over the activations.
struct HeldBeyond {
  Bytes start;
  double of_activations = 0;  ///< additional bytes per byte of activations
  Bytes at(Bytes activations) const { return start + activations * of_activations; }
};

/// Memory that a rank keeps in addition to activations, and settings that determine it.
struct MemorySetting {
  int optimizer_states = 0;  ///< numbers per parameter: optimizer_states() and moving average
  int zero_stage = 0;        ///< ZeRO stage: 1 divides states, 2 also gradients, 3 also parameters
  int ranks = 1;
  int passes = 1;                    ///< batches per step; with several, all gradients are kept
  bool buckets = false;              ///< flag: buckets for the exchange have their own memory
  bool gradients_in_buckets = true;  ///< flag: gradients are views of the buckets
  Bytes bucket_limit;                ///< size limit of a bucket; 0: all gradients
  bool bucket_grows = false;         ///< flag: a gradient above the limit enlarges its bucket
  bool fills_beside = false;         ///< flag of stages 1 and 2: the next bucket fills in each pass
  double compressed = 0;  ///< bytes of a compressed copy per byte of gradients; 0: no copy
  Bytes prefetch;         ///< stage 3: maximum bytes of parameters gathered ahead
  HeldBeyond beyond;      ///< memory beyond the card, by held_memory(); 0: not measured
};

/// Parts of the memory of a rank at the moment of the largest total.
struct MemoryParts {
  Bytes parameters;  ///< parameters and running statistics; in stage 3 own and gathered ones
  Bytes gradients;   ///< gradients that exist at this moment
  Bytes optimizer;
  Bytes buckets;
  Bytes activations;  ///< activations, including the inputs and outputs of the layer
  Bytes context;
  Bytes beyond;  ///< measured overhead of allocators and memory of kernels
  Bytes total() const {
    return parameters + gradients + optimizer + buckets + activations + context + beyond;
  }
  std::size_t layer = 0;  ///< index of the layer in the card after which the total is largest
  bool backward = false;  ///< flag: the moment is after the backward pass of the layer
};

/// Returns the parts of the peak memory in a step after the first step. Gradients appear in the
/// backward pass, layer by layer from the last, and are released after the optimizer's step.
/// Includes memory of kernels and communicators only as measured in `setting.beyond`.
MemoryParts peak_memory(const contract::ModelCard& card, double batch, const MemorySetting& setting,
                        Bytes context = {});

/// Returns the bytes that the allocator has given out in the first forward pass before layer
/// `layer` begins. These are parameters, buckets (which DDP creates beforehand) and activations.
/// Gradients and optimizer states do not exist at this time.
Bytes allocated_before(const contract::ModelCard& card, std::size_t layer, double batch,
                       const MemorySetting& setting);

/// Part of a model that keeps the most activations. A part consists of the layers whose names begin
/// with the same words.
struct DominatingLayer {
  std::string name;  ///< beginning of the names: "layer1", "features.denseblock1"
  double share = 0;  ///< share of the bytes saved for the backward pass
  std::string most;  ///< single layer that keeps the most, with its operator
};
DominatingLayer dominating_layer(const contract::ModelCard& card, double batch);

/// Relative error of past predictions. A run fits if the memory can hold the prediction plus this
/// share.
inline constexpr double kMemoryMargin = 0.08;

struct MemoryVerdict {
  MemoryParts parts;
  Bytes capacity;
  bool fits = false;               ///< verdict: total x (1 + margin) is at most the capacity
  double margin = 0;               ///< spare share: capacity / total - 1
  std::int64_t largest_batch = 0;  ///< largest batch of a rank that fits; 0: none
};

MemoryVerdict memory_verdict(const contract::ModelCard& card, std::int64_t batch,
                             const MemorySetting& setting, const Device& device,
                             double margin = kMemoryMargin);

/// Returns the verdict as one line: whether the run fits, the needed memory, the activations, the
/// layers that keep most of them and, if the run does not fit, the largest batch that fits. Example
/// of the beginning: "does not fit 16.0 GiB: needs 17.2 GiB".
std::string verdict_text(const MemoryVerdict& verdict, const contract::ModelCard& card,
                         std::int64_t batch);

// Memory that ranks held beyond the sums of their models' cards, as a line over activations.

/// Measured memory beyond the sums of cards, and the runs that it comes from.
struct HeldMemory {
  /// Line over activations. On CPUs its start is the memory of a process before its first tensor.
  /// On GPUs its start is the overhead of the allocator.
  HeldBeyond beyond;
  double relative_error = 0;  ///< root mean square of predicted / measured - 1 of the fitted runs
  Bytes least, most;          ///< smallest and largest activations of the fitted runs
  int runs = 0;               ///< number of fitted runs; 0: no measurement applies
  int other_models = 0;       ///< number of other models in the fit; 0: the model itself

  /// Returns the relative uncertainty of the predicted memory for the given activations: twice the
  /// relative error, at least 3 %. The uncertainty is at least kMemoryMargin for activations
  /// outside the measured range, for a fit of other models and for the card alone.
  double uncertainty(Bytes activations) const;
};

/// Returns the memory beyond the card of `card`, fitted by least squares of relative errors of
/// peaks, with non-negative coefficients.
/// - Uses the runs of the model in this precision. Runs of one batch give only the start.
/// - Without such runs uses runs of two or more other models. Runs of one other model give only the
///   start.
/// - Compares each run with the sum for its own settings. Runs may differ in optimizer,
///   accumulation, stages and ranks.
/// - Uses only the framework of `run` if it was measured.
/// - On CPUs uses only runs with the same loader and kind of data, because a process has its data
///   in memory.
HeldMemory held_memory(const std::vector<contract::MemoryPeak>& measured,
                       const contract::RunSpec& run, const contract::ModelCard& card);

}  // namespace dlscale::predict
