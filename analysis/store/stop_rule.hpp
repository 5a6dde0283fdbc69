// SPDX-License-Identifier: Apache-2.0
// What ends a run's training: runs that stop by different rules do different work.
#pragma once

#include <string>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

/// "epochs", "accuracy >= 0.94 or epochs", "epochs or 3 without learning"; "inference" of runs that
/// do not train. Of another program's run what its axis `stop_rule` says; else it is empty.
/// The number of epochs is no part of the rule: rates do not depend on it.
std::string stop_rule(const contract::RunSpec& run);

}  // namespace dlscale::analysis
