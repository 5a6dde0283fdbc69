// SPDX-License-Identifier: Apache-2.0
// The condition of a query over what is known of a run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/query/run_column.hpp"

namespace dlscale::analysis {

/// What does not have a value, or has no number, compares equal to nothing. Throws base::SpecError
/// for a text that is no condition. The result must not outlive `columns`.
std::function<bool(const analysis::RunRow&)> query_condition(
    const std::string& text, const std::vector<analysis::RunColumn>& columns,
    const analysis::Frame& frame);

}  // namespace dlscale::analysis
