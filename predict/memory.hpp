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

/// Memory of a rank in addition to the sum that its cost model predicts, as a linear function of
/// the bytes of activations.
struct HeldBeyond {
  Bytes start;
  double of_activations = 0;  ///< additional bytes per byte of activations
  Bytes at(Bytes activations) const { return start + activations * of_activations; }
};

/// Memory that a rank keeps in addition to activations, and settings that determine it.
struct MemorySetting {
  int optimizer_states = 0;  ///< numbers kept per parameter: optimizer states and moving average
  /// ZeRO stage: 1 partitions optimizer states, 2 also gradients, 3 also parameters.
  int zero_stage = 0;
  int ranks = 1;
  int passes = 1;  ///< batches per step; above 1, all gradients are kept
  /// Flag: buckets for the gradient exchange have their own memory.
  bool buckets = false;
  bool gradients_in_buckets = true;  ///< flag: gradients are views of the buckets
  Bytes bucket_limit;                ///< size limit of a bucket; 0: one bucket for all gradients
  bool bucket_grows = false;         ///< flag: a gradient above the limit enlarges its bucket
  /// Flag for ZeRO stages 1 and 2: the backward pass fills the next bucket while the previous
  /// bucket is reduced.
  bool fills_beside = false;
  double compressed = 0;  ///< bytes of a compressed copy per byte of gradients; 0: no copy
  Bytes prefetch;         ///< maximum bytes of parameters that ZeRO stage 3 gathers ahead
  /// Memory in addition to the sum of the cost model, from held_memory(). The values are 0 if no
  /// such memory was measured.
  HeldBeyond beyond;
};

/// Parts of the memory of a rank at the moment at which the total is largest.
struct MemoryParts {
  /// Parameters and running statistics. In ZeRO stage 3, the parameters are the partition of the
  /// rank and the gathered parameters.
  Bytes parameters;
  Bytes gradients;  ///< gradients that exist at this moment
  Bytes optimizer;
  Bytes buckets;
  Bytes activations;  ///< activations, including the inputs and outputs of `layer`
  Bytes context;
  Bytes beyond;  ///< measured overhead of allocators and memory of kernels
  Bytes total() const {
    return parameters + gradients + optimizer + buckets + activations + context + beyond;
  }
  std::size_t layer = 0;  ///< index of the layer whose pass ends at this moment
  bool backward = false;  ///< flag: the moment is in the backward pass
};

/// Returns the parts of the peak memory of a step. The step is not the first step of the run, so
/// optimizer states exist. Gradients appear in the backward pass, layer by layer from the last, and
/// are released after the optimizer's step. The memory of kernels and communicators is included
/// only as far as `setting.beyond` contains it.
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
  std::string name;  ///< common beginning of the layer names, such as "features.denseblock1"
  double share = 0;  ///< share of this part in the bytes saved for the backward pass
  std::string most;  ///< name and operator of the single layer that keeps the most activations
};
DominatingLayer dominating_layer(const contract::ModelCard& card, double batch);

/// Relative error of past memory predictions. A run fits if the device has room for the predicted
/// memory and, in addition, for this share of the predicted memory.
inline constexpr double kMemoryMargin = 0.08;

struct MemoryVerdict {
  MemoryParts parts;
  Bytes capacity;
  bool fits = false;               ///< verdict: total x (1 + margin) is at most the capacity
  double margin = 0;               ///< spare memory as a share: capacity / total - 1
  std::int64_t largest_batch = 0;  ///< largest batch of a rank that fits; 0: none
};

MemoryVerdict memory_verdict(const contract::ModelCard& card, std::int64_t batch,
                             const MemorySetting& setting, const Device& device,
                             double margin = kMemoryMargin);

/// Returns the verdict as one line: whether the run fits, the needed memory, the activations, the
/// layers that keep most of the activations and, if the run does not fit, the largest batch that
/// fits. Example of the beginning: "does not fit 16.0 GiB: needs 17.2 GiB".
std::string verdict_text(const MemoryVerdict& verdict, const contract::ModelCard& card,
                         std::int64_t batch);

// The following declarations describe the memory that measured ranks held in addition to the sums
// of their cost models, as a linear function of the bytes of activations.

/// Measured memory in addition to the sums of cost models, and the number of runs in which it was
/// measured.
struct HeldMemory {
  /// Memory as a linear function of the bytes of activations. On CPUs, `beyond.start` is the memory
  /// of a process before the first tensor. On GPUs, `beyond.start` is the overhead of the
  /// allocator.
  HeldBeyond beyond;
  double relative_error = 0;  ///< root mean square of predicted / measured - 1 of the fitted runs
  Bytes least, most;          ///< smallest and largest activations of the fitted runs
  int runs = 0;               ///< number of fitted runs; 0: no measurement applies
  /// Number of models in the fit if the model of the run was not measured. Otherwise the value is
  /// 0.
  int other_models = 0;

  /// Returns the relative uncertainty of the predicted memory for the given bytes of activations.
  /// The uncertainty is twice the relative error, and at least 3 %. The uncertainty is at least
  /// kMemoryMargin in these cases: the activations are outside the measured range, the fit comes
  /// from other models, or no measurement applies.
  double uncertainty(Bytes activations) const;
};

/// Returns the memory that ranks of `run` hold in addition to the sum of the cost model `card`. The
/// memory is fitted by least squares of relative errors of peaks, with non-negative coefficients.
/// - If runs of the same model in the same precision were measured, uses only these runs. If these
///   runs all have the same batch size, they determine only the start.
/// - Otherwise uses the runs of other models. If there is only one other model, its runs determine
///   only the start.
/// - Compares each measured peak with the sum of the cost model for the settings of the run that
///   had this peak. Runs may therefore differ in optimizer, accumulation, ZeRO stages and ranks.
/// - If there are runs with the framework of `run`, uses only these runs.
/// - On CPUs uses only runs with the same loader and kind of data, because a process has its data
///   in memory.
HeldMemory held_memory(const std::vector<contract::MemoryPeak>& measured,
                       const contract::RunSpec& run, const contract::ModelCard& card);

}  // namespace dlscale::predict
