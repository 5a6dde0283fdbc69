// SPDX-License-Identifier: Apache-2.0
// Defines the table of framework styles. The table lists the properties that dlscale knows without
// starting the trainer.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

/// Number of processes of a run.
enum class Processes {
  one_per_gpu,
  one,  ///< one process that uses all GPUs
};

/// Number of stages that a style cuts the model into.
enum class Stages {
  one,                  ///< whole model in each replica
  gpus,                 ///< one model over all ranks
  model_parallel_size,  ///< each model over framework_options.model_parallel_size ranks
};

/// Model that predicts the time and the memory of the steps of a style (predict/workload.cpp).
enum class StepModel {
  none,           ///< no prediction of the style's steps
  each_gradient,  ///< one all-reduce for each parameter after the backward pass
  buckets,        ///< DistributedDataParallel: buckets of gradients during the backward pass
  fusion,         ///< Horovod: gradients that are ready are fused in each cycle
  zero,           ///< ZeRO: the options select the stage
  central,        ///< the first device sends parameters and samples, and collects gradients
};

/// Row of the table. The defaults of the fields describe a style with one replica per process. Its
/// replicas all-reduce their gradients during the backward pass. The style reads no options, and
/// its steps are not predicted.
struct FrameworkStyle {
  std::string_view name;
  /// Fields of FrameworkOptions that the style reads, in the order in which studies list them.
  std::vector<std::string_view> options = {};
  Processes processes = Processes::one_per_gpu;
  Stages stages = Stages::one;
  /// Reason why the setting `all_reduce` has no effect. Messages print the reason after the name of
  /// the style. It is empty for styles whose ranks all-reduce gradients.
  std::string_view no_all_reduce = {};
  /// Reason why replicas cannot share the statistics of batch norms. Messages print the reason
  /// after the name of the style. It is empty for styles whose replicas can share statistics.
  std::string_view own_statistics = {};
  /// True if ranks exchange data only after the backward pass, so that CUDA graphs can record both
  /// passes. For a style that reads zero_stage, this holds only in stages 0 and 1 without
  /// overlap_comm.
  bool exchanges_after_passes = false;
  StepModel step_model = StepModel::none;

  bool reads(std::string_view option) const;
};

std::span<const FrameworkStyle> framework_styles();

/// Returns the row called `name`. For a name without a row (such as an external trainer), returns a
/// row with an empty name and the defaults of FrameworkStyle.
const FrameworkStyle& framework_style(std::string_view name);

/// Returns the number of stages that the framework style of `run` cuts the model into.
int stage_count(const RunSpec& run);

}  // namespace dlscale::contract
