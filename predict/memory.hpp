// SPDX-License-Identifier: Apache-2.0
// How much of a device's memory a run needs, and whether that fits.
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

/// What ranks hold beyond the sum of their cards: a line over activations.
struct HeldBeyond {
  Bytes start;
  double of_activations = 0;  ///< as many bytes more for each of theirs
  Bytes at(Bytes activations) const { return start + activations * of_activations; }
};

/// What a rank keeps beside activations.
struct MemorySetting {
  int optimizer_states = 0;  ///< numbers for each parameter: optimizer_states(), and their mean
  int zero_stage = 0;        ///< 1: states are partitioned; 2: gradients too; 3: parameters too
  int ranks = 1;
  int passes = 1;                    ///< batches of a step: gradients stay from the first on
  bool buckets = false;              ///< gradients travel in buckets of their own memory
  bool gradients_in_buckets = true;  ///< gradients are views of these
  Bytes bucket_limit;                ///< of a bucket; 0: they hold all gradients
  bool bucket_grows = false;         ///< to a gradient that is larger than its limit
  bool fills_beside = false;  ///< stages 1 and 2: the next bucket, as gradients come in each pass
  double compressed = 0;      ///< bytes of a copy that travels, of each byte of gradients; 0: none
  Bytes prefetch;             ///< stage 3: parameters that are gathered ahead, at most
  HeldBeyond beyond;          ///< as runs held it (held_memory); nothing: not measured
};

/// At the moment when it is most.
struct MemoryParts {
  Bytes parameters;  ///< and running statistics; stage 3: this rank's and those gathered
  Bytes gradients;   ///< that are there at that moment
  Bytes optimizer;
  Bytes buckets;
  Bytes activations;  ///< inputs and what passes on included
  Bytes context;
  Bytes beyond;  ///< what allocators hold and kernels work with, where that was measured
  Bytes total() const {
    return parameters + gradients + optimizer + buckets + activations + context + beyond;
  }
  std::size_t layer = 0;  ///< of the card: after which it is most
  bool backward = false;  ///< after its backward pass
};

/// In every step but the first. Gradients come with the backward pass, layer after layer from the
/// last, and are dropped after the optimizer's step. What kernels and communicators work with is
/// in it as far as the setting has it measured.
MemoryParts peak_memory(const contract::ModelCard& card, double batch, const MemorySetting& setting,
                        Bytes context = {});

/// What the allocator has given out in the first forward pass when layer `layer` is to begin:
/// parameters, buckets (DDP makes them beforehand) and activations; no gradients yet, no states.
Bytes allocated_before(const contract::ModelCard& card, std::size_t layer, double batch,
                       const MemorySetting& setting);

/// The part of a model that keeps most activations: layers whose names begin alike.
struct DominatingLayer {
  std::string name;  ///< "layer1", "features.denseblock1"
  double share = 0;  ///< of what is saved for backward
  std::string most;  ///< the one layer that keeps most, with its operator
};
DominatingLayer dominating_layer(const contract::ModelCard& card, double batch);

/// Predictions have been wrong by this much: a run is said to fit if it fits with so much more.
inline constexpr double kMemoryMargin = 0.08;

struct MemoryVerdict {
  MemoryParts parts;
  Bytes capacity;
  bool fits = false;               ///< total x (1 + margin) is no more than the capacity
  double margin = 0;               ///< capacity / total - 1
  std::int64_t largest_batch = 0;  ///< of a rank, that fits; 0: none
};

MemoryVerdict memory_verdict(const contract::ModelCard& card, std::int64_t batch,
                             const MemorySetting& setting, const Device& device,
                             double margin = kMemoryMargin);

/// "does not fit 16.0 GiB: 17.2 GiB (14.9 of activations, most in layer1.0: …); …" as one line.
std::string verdict_text(const MemoryVerdict& verdict, const contract::ModelCard& card,
                         std::int64_t batch);

// What ranks held beyond the sums of their models' cards: a line over activations.

struct HeldMemory {
  /// Its start is on CPUs what a process takes before its first tensor, on GPUs the allocator's.
  HeldBeyond beyond;
  double relative_error = 0;  ///< root mean square of predicted / measured - 1, of what it rests on
  Bytes least, most;          ///< activations of these
  int runs = 0;               ///< that it rests on; 0: nothing measured says anything of it
  int other_models = 0;       ///< that these are of; 0: they are of the model itself

  /// What the sum may be wrong by where there are so many activations, as a part of it: twice the
  /// error, at least 3 %; beyond those measured, by other models or by the card alone at least
  /// kMemoryMargin.
  double uncertainty(Bytes activations) const;
};

/// Least squares of relative errors of peaks, neither coefficient negative, through the runs of the
/// model in this precision; of one batch the start alone. Without such runs through those of two
/// other models or more; of one other model the start alone. Each run is measured against its own
/// sum, so that optimizer, accumulation, stages and ranks may be others. Of several frameworks that
/// of `run` counts, where it was measured. A process on CPUs has its data in memory: there only
/// runs of the same loader and kind of data count.
HeldMemory held_memory(const std::vector<contract::MemoryPeak>& measured,
                       const contract::RunSpec& run, const contract::ModelCard& card);

}  // namespace dlscale::predict
