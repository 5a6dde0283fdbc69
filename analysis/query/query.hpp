// SPDX-License-Identifier: Apache-2.0
// A question to the runs of a study: which of them, put together how, and what of them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/query/run_column.hpp"

namespace dlscale::analysis {

/// What a number of values becomes.
struct AggregateFunction {
  const char* name;
  const char* summary;
};
std::span<const AggregateFunction> aggregate_functions();

struct Aggregate {
  std::string function;  ///< of aggregate_functions()
  std::string column;    ///< empty for count
  bool operator==(const Aggregate&) const = default;
};
/// "median(samples_per_s)"; "count()".
std::string to_string(const Aggregate& aggregate);

/// Why this cannot be asked, with what to ask instead: a mean or sum of rates, a number of texts.
/// Empty when it can.
std::string refusal(const std::string& function, const RunColumn& column);

/// Plain data: whatever text it was read from is another file's business.
struct Query {
  std::vector<Aggregate> shown;                   ///< at least one
  std::vector<std::string> by;                    ///< columns; none: all runs are one group
  std::function<bool(const RunRow&)> where = {};  ///< empty: all runs
  std::string sort_by = {};                       ///< one of `by`, or an aggregate as text
  bool descending = false;
  std::size_t limit = 0;     ///< rows; 0: all
  bool allow_mixed = false;  ///< pool runs of different devices, models, …
};

/// An aggregate of a group: a number or an interval; neither where there is nothing, or where it
/// was refused.
struct AggregateValue {
  std::optional<double> number;
  Interval interval;
  std::size_t n = 0;     ///< values that it was made of, or would have been
  bool refused = false;  ///< as the group's runs are not alike
};

struct GroupRow {
  std::vector<RunValue> by;
  std::vector<AggregateValue> shown;
  /// The condition that differs within the group, as a sentence; only where an aggregate puts
  /// several runs into one number.
  std::string mixed;
};

struct QueryAnswer {
  std::size_t runs = 0;  ///< that `where` left
  std::vector<GroupRow> rows;
  std::vector<std::string> pooled;  ///< axes with several values in one group
};

/// Groups come in the order of what they are made by unless sorted: axes in the study's order of
/// their values, other numbers by size. What puts values of several runs into one
/// number is left empty for groups whose runs differ in a condition, unless mixed ones are allowed.
/// The query's names must be those of `columns` and not refused.
QueryAnswer answer(const Frame& frame, const std::vector<RunColumn>& columns, const Query& query);

}  // namespace dlscale::analysis
