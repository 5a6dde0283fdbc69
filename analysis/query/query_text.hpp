// SPDX-License-Identifier: Apache-2.0
// A query as people type it: `median(samples_per_s) by framework, gpus where gpus > 1 limit 5`.
#pragma once

#include <string>
#include <vector>

#include "analysis/query/query.hpp"

namespace dlscale::analysis {

/// `FUNCTION(COLUMN), … [by COLUMN, …] [where CONDITION] [sort by COLUMN|FUNCTION(COLUMN) [desc]]
/// [limit N]`, its parts in any order after the first. The condition is one of
/// config/expression over the columns. Throws base::SpecError, with the place in the text, for
/// what is no query, for unknown names with the nearest one, and for what analysis::refusal
/// refuses. The query's condition must not outlive `columns`.
analysis::Query parse_query(const std::string& text,
                            const std::vector<analysis::RunColumn>& columns,
                            const analysis::Frame& frame);

}  // namespace dlscale::analysis
