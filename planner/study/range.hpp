// SPDX-License-Identifier: Apache-2.0
// Ranges: values of an axis by their ends and the way between them.
#pragma once

#include "config/toml/fields.hpp"

namespace dlscale::planner {

/// `{ from, to, times }`, `{ from, to, step }` or `{ from, to, count, spacing }`.
inline constexpr std::int64_t kMostRangeValues = 10'000;

/// True for a table with the keys of a range and no others.
bool is_range(const config::Node& node);

/// The values in their order, each at the range's place; whole numbers when all of them are, else
/// rounded to 12 significant digits. Throws base::SpecError for a range that is empty, endless or
/// longer than kMostRangeValues.
config::List range_values(const config::Item& range);

}  // namespace dlscale::planner
