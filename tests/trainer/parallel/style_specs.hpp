// SPDX-License-Identifier: Apache-2.0
// Short runs of every parallel style.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::test {

inline constexpr int kStepSamples = 24;  ///< of all ranks together

/// Those of this build.
std::vector<std::string> frameworks();

/// Those that give each rank some of a model's blocks.
bool cuts_models(const std::string& framework);

/// 5 steps of the CNN on noise of 6 x 6 pixels with momentum, in double precision: enough to tell
/// styles apart, and 24 times fewer parameters than the MLP has.
contract::RunSpec style_spec(const std::string& framework, int ranks, int zero_stage = 2);

/// style_spec() of every framework, and of ZeRO's other stages.
std::vector<contract::RunSpec> style_specs(int ranks);

/// style_spec() of 10 steps, in windows of 4.
contract::RunSpec ten_steps(const std::string& framework, int ranks, int zero_stage = 2);

/// ten_steps() of every framework and stage of ZeRO, the optimizer's state in host memory, and
/// PowerSGD.
std::vector<contract::RunSpec> all_styles(int ranks);

/// Those of them that change no gradient.
std::vector<contract::RunSpec> exact_styles(int ranks);

/// Those of exact_styles() that are `processes`, and pipelines of several micro-batches.
std::vector<contract::RunSpec> styles_of_processes(int processes);

/// For messages.
std::string title_of(const contract::RunSpec& spec);

}  // namespace dlscale::test
