// SPDX-License-Identifier: Apache-2.0
// What ranks held beyond the sums of their models' cards: a line over activations.
#pragma once

#include <vector>

#include "contract/records/calibration.hpp"
#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/memory.hpp"

namespace dlscale::predict {

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
