// SPDX-License-Identifier: Apache-2.0
// What a run's description means to the models of time and memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "predict/memory.hpp"
#include "predict/step_time.hpp"

namespace dlscale::predict {

/// What a model gets of a data set.
struct SampleShape {
  std::vector<std::int64_t> input;  ///< channels x height x width
  int classes = 0;                  ///< 0: not known
  bool operator==(const SampleShape&) const = default;
};

/// Of images. Nothing where it does not follow from the description: texts, sets of other files.
std::optional<SampleShape> sample_shape(const contract::DatasetSpec& dataset);

/// The precision whose card has the bytes of this one: tf32 keeps fp32's, fp16 bf16's.
std::string card_precision(const std::string& precision);

/// Why the models say nothing of such a run; empty where they do. They know framework styles that
/// have a contract::StepModel, models that are trained whole, and gradients that are all sent.
std::string not_modelled(const contract::RunSpec& run);

/// What of a run that is modelled the models do not heed, a line for each setting.
std::vector<std::string> not_counted(const contract::RunSpec& run);

/// When the replicas of a run agree, and how much they send. Loading is not in it.
StepSetting step_setting(const contract::RunSpec& run);

/// Returns the ring where the run asks for it, else the algorithm of the network.
AllReduce all_reduce_of(const contract::RunSpec& run, const Network& network = {});

/// What a rank of a run keeps.
MemorySetting memory_setting(const contract::RunSpec& run);

}  // namespace dlscale::predict
