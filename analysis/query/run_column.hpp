// SPDX-License-Identifier: Apache-2.0
// What a query can ask of a run: its axes, its conditions, and what was measured.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/frame.hpp"

namespace dlscale::analysis {

/// Nothing where a run does not have it.
using RunValue = std::variant<std::monostate, std::string, double>;

struct RunColumn {
  enum class Kind {
    Text,
    Number,  ///< says how a run was or what came of it: gpus, final_accuracy
    Amount,  ///< adds up over runs: samples, gpu_hours
    Rate,    ///< one amount over another: samples_per_s
  };
  std::string name;
  Kind kind = Kind::Number;
  std::function<RunValue(const RunRow&)> value;
  /// Of a rate: what it is made of, as its name ("samples / wall_s") and as values of a run that
  /// has it.
  std::string made_of = {};
  std::function<double(const RunRow&)> above = {}, below = {};
  int decimals = 0;         ///< shown after the point
  const char* covers = "";  ///< which part of a run it is of, where that is not all of it
};

/// Axes first, in the study's order, then run_id, outcome, gpus, …; conditions; what was measured.
/// A name occurs once: an axis takes the place of a description or condition that is called so, and
/// what was measured is called "measured_samples" beside an axis "samples".
std::vector<RunColumn> run_columns(const Frame& frame);

std::vector<std::string> names_of(const std::vector<RunColumn>& columns);

/// Null where there is none.
const RunColumn* find_column(const std::vector<RunColumn>& columns, const std::string& name);

}  // namespace dlscale::analysis
