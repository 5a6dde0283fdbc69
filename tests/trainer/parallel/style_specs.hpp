// SPDX-License-Identifier: Apache-2.0
// Short runs of every parallel style.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec.hpp"

namespace dlscale::test {

inline constexpr int kStepSamples = 24;  ///< of all ranks together

/// Those of this build.
std::vector<std::string> frameworks();

/// Those that give each rank some of a model's blocks.
bool cuts_models(const std::string& framework);

/// 5 steps of the MLP with momentum, in double precision.
contract::RunSpec style_spec(const std::string& framework, int ranks, int zero_stage = 2);

/// style_spec() of every framework, and of ZeRO's other stages.
std::vector<contract::RunSpec> style_specs(int ranks);

}  // namespace dlscale::test
