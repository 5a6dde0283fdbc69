// SPDX-License-Identifier: Apache-2.0
// Converts the description of a run to the settings of the models of time and memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "predict/memory.hpp"
#include "predict/step_time.hpp"

namespace dlscale::predict {

/// Shape of one sample of a data set, and its number of classes.
struct SampleShape {
  std::vector<std::int64_t> input;  ///< shape as channels x height x width
  int classes = 0;                  ///< number of classes; 0: not known
  bool operator==(const SampleShape&) const = default;
};

/// Returns the shape of the images of a data set. Returns nothing if the description does not
/// define the shape, as for texts and other kinds of data sets.
std::optional<SampleShape> sample_shape(const contract::DatasetSpec& dataset);

/// Returns the precision of the cost model to use for runs in `precision`. Precisions with numbers
/// of the same size share a cost model: fp32 for tf32, bf16 for fp16, otherwise the precision
/// itself.
std::string card_precision(const std::string& precision);

/// Returns the file name of the cost model for a run whose samples have this shape.
std::string card_file_name(const contract::RunSpec& run, const SampleShape& shape);

/// Returns why the models cannot predict a run. Returns an empty text if they can predict the run.
/// The models require a framework style with a contract::StepModel, a network whose parameters are
/// all trained, and in training an exchange of all gradients.
std::string not_modelled(const contract::RunSpec& run);

/// Returns why the model of memory cannot predict a run whose times can be predicted. Returns an
/// empty text if it can.
std::string memory_not_modelled(const contract::RunSpec& run);

/// Returns the settings of a run that the models ignore, as one line of text for each setting.
std::vector<std::string> not_counted(const contract::RunSpec& run);

/// Returns when the replicas of a run exchange gradients and how much they send. Data loading is
/// not included.
StepSetting step_setting(const contract::RunSpec& run);

/// Returns the ring algorithm if the run requests it, otherwise the algorithm of the network.
AllReduce all_reduce_of(const contract::RunSpec& run, const Network& network = {});

/// Returns the settings of the memory that a rank of a run keeps.
MemorySetting memory_setting(const contract::RunSpec& run);

}  // namespace dlscale::predict
