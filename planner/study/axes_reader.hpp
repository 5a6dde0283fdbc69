// SPDX-License-Identifier: Apache-2.0
// Reads the axes of a study and how they combine: [matrix] with its ranges, [[zip]] and
// [[include]].
#pragma once

#include "config/toml/fields.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

// Ranges: values of an axis by their ends and the way between them.

/// `{ from, to, times }`, `{ from, to, step }` or `{ from, to, count, spacing }`.
inline constexpr std::int64_t kMostRangeValues = 10'000;

/// True for a table with the keys of a range and no others.
bool is_range(const config::Node& node);

/// The values in their order, each at the range's place; whole numbers when all of them are, else
/// rounded to 12 significant digits. Throws base::SpecError for a range that is empty, endless or
/// longer than kMostRangeValues.
config::List range_values(const config::Item& range);

// Reads the axes of a study and how they combine: [matrix], [[zip]] and [[include]].

/// Each adds to the matrix, whose recipe must know the study's trainer already; [matrix] comes
/// before [[zip]], both before [[include]]. Throw base::SpecError.
void read_axes(const config::Item& section, Matrix& matrix);
void read_zip(const config::Item& zip, Matrix& matrix);
void read_include(const config::Item& include, Matrix& matrix);

}  // namespace dlscale::planner
