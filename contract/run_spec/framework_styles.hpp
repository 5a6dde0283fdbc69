// SPDX-License-Identifier: Apache-2.0
// Defines the table of framework styles, with the facts that dlscale knows without a trainer.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

/// Number of processes of a run.
enum class Processes {
  one_per_gpu,
  one,  ///< one process, whose devices are the GPUs
};

/// Number of stages that a style cuts the model into.
enum class Stages {
  one,                  ///< whole model in each replica
  gpus,                 ///< one model over all ranks
  model_parallel_size,  ///< each model over framework_options.model_parallel_size ranks
};

/// Model of time and memory that predicts the steps of a style (predict/workload.cpp).
enum class StepModel {
  none,           ///< no prediction of the style's steps
  each_gradient,  ///< one all-reduce for each parameter after the backward pass
  buckets,        ///< DistributedDataParallel: buckets of gradients during the backward pass
  fusion,         ///< Horovod: gradients that are ready are fused in each cycle
  zero,           ///< ZeRO: the options select the stage
};

/// Row of the table. A row that sets only its name describes a style with one replica per process.
/// The replicas all-reduce their gradients during the backward pass. The style reads no option and
/// is not predicted.
struct FrameworkStyle {
  std::string_view name;
  /// Fields of FrameworkOptions that the style reads, in the order in which studies list them.
  std::vector<std::string_view> options = {};
  Processes processes = Processes::one_per_gpu;
  Stages stages = Stages::one;
  /// Reason why `all_reduce` has no effect. Messages print it after the name of the style. Empty
  /// for styles whose ranks all-reduce gradients.
  std::string_view no_all_reduce = {};
  /// Reason why replicas cannot share the statistics of batch norms. Messages print it after the
  /// name of the style and "'s". Empty for styles whose replicas can share statistics.
  std::string_view own_statistics = {};
  /// True if ranks exchange data only after the backward pass, so that CUDA graphs can record both
  /// passes. A style that reads zero_stage does so in stages 0 and 1 without overlap_comm.
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
