// SPDX-License-Identifier: Apache-2.0
// Places the results for different values of an axis next to each other in a table.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

/// Returns true if the table has a key column for this axis, so that `pivoted` accepts the axis.
bool has_axis(const Table& table, const std::string& axis);

/// Returns the table with a group of columns for each value of `axis`, in place of the column of
/// the axis. Rows that differ only in this axis become one row. Values and rows are in the order of
/// `axes`, the axes of the study; values that no axis lists follow in the order of the rows. The id
/// of a column is "VALUE_ID", or "AXIS_VALUE_ID" if the value begins with a digit. A row without
/// results for a value has empty cells. The table must have the axis.
Table pivoted(const Table& table, const std::string& axis, const std::vector<contract::Axis>& axes);

}  // namespace dlscale::analysis
