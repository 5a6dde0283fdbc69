// SPDX-License-Identifier: Apache-2.0
// Reads the axes of a study and their combinations: [matrix] with its ranges, [[zip]] and
// [[include]].
#pragma once

#include "config/toml/fields.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

// The following declarations read ranges: axis values given by their ends and their spacing.

/// Maximum number of values of a range. A range has the following forms:
/// - `{ from, to, times }`
/// - `{ from, to, step }`
/// - `{ from, to, count, spacing }`
inline constexpr std::int64_t kMostRangeValues = 10'000;

/// Returns true for a non-empty table that has only keys of a range.
bool is_range(const config::Node& node);

/// Returns the values of a range in order. Errors about a value are reported at the place of the
/// range. If all values are whole, they are whole numbers. Otherwise they are rounded to 12
/// significant digits. Throws base::SpecError for a range that is empty, endless or longer than
/// kMostRangeValues.
config::List range_values(const config::Item& range);

// The following functions read the axes of a study and their combinations.

/// Each function adds the axes or points of one section to the matrix. The recipe of the matrix
/// must already contain the study's trainer. [matrix] must be read before [[zip]], and [[zip]]
/// before [[include]]. All three functions throw base::SpecError for a wrong section.
void read_axes(const config::Item& section, Matrix& matrix);
void read_zip(const config::Item& zip, Matrix& matrix);
void read_include(const config::Item& include, Matrix& matrix);

}  // namespace dlscale::planner
