// SPDX-License-Identifier: Apache-2.0
// Short runs of every parallel style.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::test {

inline constexpr int kStepSamples = 24;  ///< samples per step over all ranks

/// Returns the framework styles of this build.
std::vector<std::string> frameworks();

/// Returns whether a framework style gives each rank only some blocks of a model.
bool cuts_models(const std::string& framework);

/// Returns a run of 5 steps of the CNN on noise of 6 x 6 pixels with momentum, in double precision.
/// The run suffices to distinguish styles, and the CNN has 24 times fewer parameters than the MLP.
contract::RunSpec style_spec(const std::string& framework, int ranks, int zero_stage = 2);

/// Returns style_spec() for every framework style, and in addition for the ZeRO stages other than
/// 2.
std::vector<contract::RunSpec> style_specs(int ranks);

/// Returns style_spec() with 10 steps in windows of 4.
contract::RunSpec ten_steps(const std::string& framework, int ranks, int zero_stage = 2);

/// Returns ten_steps() for every framework style and ZeRO stage. In addition, returns runs with the
/// optimizer state in host memory and runs with PowerSGD.
std::vector<contract::RunSpec> all_styles(int ranks);

/// Returns the runs of all_styles() that do not compress gradients.
std::vector<contract::RunSpec> exact_styles(int ranks);

/// Returns the runs of exact_styles() that have `processes` processes. In addition, returns
/// pipelines with several micro-batches.
std::vector<contract::RunSpec> styles_of_processes(int processes);

/// Returns a title of the run for messages.
std::string title_of(const contract::RunSpec& spec);

}  // namespace dlscale::test
