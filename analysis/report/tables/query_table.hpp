// SPDX-License-Identifier: Apache-2.0
// The answer to a query as a table, with what it rests on.
#pragma once

#include "analysis/query/query.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// `text` is the query as it was typed, for the title.
Table query_table(const Frame& frame, const std::vector<RunColumn>& columns, const Query& query,
                  const std::string& text);

}  // namespace dlscale::analysis
