// SPDX-License-Identifier: Apache-2.0
#include "cli/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "planner/expression/expression.hpp"

namespace dlscale::cli {
namespace {

using planner::Symbol;
using planner::Value;

constexpr const char* kSubstudy = "substudy";

/// An axis is of numbers or truth values when all of its values are.
Symbol symbol_of(const contract::Axis& axis) {
  const std::vector<std::string>& values = axis.values;
  const auto all = [&](auto is_one) {
    return !values.empty() && std::all_of(values.begin(), values.end(), is_one);
  };
  if (all([](const std::string& value) { return number_of(value).has_value(); })) {
    return {axis.name, Symbol::Kind::number, {}};
  }
  if (all([](const std::string& value) { return value == "true" || value == "false"; })) {
    return {axis.name, Symbol::Kind::truth, {}};
  }
  return {axis.name, Symbol::Kind::text, values};
}

/// What a run has beside its point.
struct Fact {
  const char* name;
  double (*value)(const contract::PlannedRun& run);
};
constexpr Fact kFacts[] = {
    {"gpus", [](const contract::PlannedRun& run) { return double(run.gpus); }},
    {"batch_per_gpu", [](const contract::PlannedRun& run) { return double(run.batch_per_gpu); }},
    {"global_batch", [](const contract::PlannedRun& run) { return double(run.global_batch); }},
    {"repetition", [](const contract::PlannedRun& run) { return double(run.repetition); }},
};

/// A condition over the runs of one plan.
class Condition {
 public:
  Condition(const std::string& text, const contract::Plan& plan) {
    for (const contract::Axis& axis : plan.axes) symbols_.push_back(symbol_of(axis));
    axes_ = symbols_.size();
    for (const Fact& fact : kFacts) {
      const bool is_axis = std::any_of(symbols_.begin(), symbols_.end(), [&](const Symbol& known) {
        return known.name == fact.name;
      });
      if (is_axis) continue;
      symbols_.push_back({fact.name, Symbol::Kind::number, {}});
      facts_.push_back(fact);
    }
    std::set<std::string> substudies;
    for (const auto& run : plan.runs) {
      substudies.insert(run.substudies.begin(), run.substudies.end());
    }
    if (!substudies.empty()) {
      symbols_.push_back({kSubstudy, Symbol::Kind::text, {substudies.begin(), substudies.end()}});
    }
    const planner::Node node{text, {"--where"}};
    expression_.emplace(planner::Item{node, ""}, symbols_);
  }

  bool holds(const contract::PlannedRun& run) const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < axes_; ++i) values.push_back(axis_value(symbols_[i], run));
    for (const Fact& fact : facts_) values.push_back(fact.value(run));
    if (symbols_.back().name != kSubstudy) return expression_->holds(values);
    values.emplace_back(std::string());
    if (run.substudies.empty()) return expression_->holds(values);
    return std::any_of(run.substudies.begin(), run.substudies.end(), [&](const std::string& name) {
      values.back() = name;
      return expression_->holds(values);
    });
  }

 private:
  /// A point without the axis compares equal to nothing.
  static Value axis_value(const Symbol& symbol, const contract::PlannedRun& run) {
    const auto found = run.point.find(symbol.name);
    const std::string text = found == run.point.end() ? "" : found->second;
    if (symbol.kind == Symbol::Kind::truth) return text == "true";
    if (symbol.kind == Symbol::Kind::text) return text;
    return number_of(text).value_or(std::numeric_limits<double>::quiet_NaN());
  }

  std::vector<Symbol> symbols_;  // axes, facts, then the sub-study if there is any
  std::size_t axes_ = 0;
  std::vector<Fact> facts_;
  std::optional<planner::Expression> expression_;
};

bool names(const std::string& pattern, const std::string& run_id) {
  return ::fnmatch(pattern.c_str(), run_id.c_str(), 0) == 0;
}

}  // namespace

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

void add_selection_options(CLI::App& app, SelectionChoice& choice, RunArguments arguments) {
  const bool positional = arguments == RunArguments::positional;
  app.add_option(positional ? "--run,RUN" : "--run", choice.runs,
                 "id of a run, or a glob such as 'ddp-*-r1'; may be repeated")
      ->type_name(value_kind::kRun)
      ->allow_extra_args(false);
  app.add_option("--where", choice.where,
                 "only runs for which this holds, such as 'gpus >= 8 && model == \"resnet50\"'; it "
                 "may name the study's axes, gpus, batch_per_gpu, global_batch, repetition and "
                 "substudy")
      ->type_name("CONDITION");
  app.add_flag("--allow-empty", choice.allow_empty, "no run to select is no error (exit code 3)");
}

RunIds matching_runs(const contract::Plan& plan, const SelectionChoice& choice) {
  std::optional<Condition> condition;
  if (!choice.where.empty()) condition.emplace(choice.where, plan);
  RunIds ids;
  for (const contract::PlannedRun& run : plan.runs) {
    const bool named = choice.runs.empty() || std::any_of(choice.runs.begin(), choice.runs.end(),
                                                          [&](const std::string& pattern) {
                                                            return names(pattern, run.run_id);
                                                          });
    if (named && (!condition || condition->holds(run))) ids.insert(run.run_id);
  }
  return ids;
}

RunIds select_runs(const contract::Plan& plan, const SelectionChoice& choice) {
  RunIds ids = matching_runs(plan, choice);
  if (!choice.narrows()) return ids;
  const std::string summary =
      fmt::format("{} of {} run{} match{}", ids.size(), plan.runs.size(),
                  plan.runs.size() == 1 ? "" : "s", plan.runs.size() == 1 ? "es" : "");
  if (ids.empty() && !choice.allow_empty) throw base::RunError(summary, kExitNothingMatched);
  for (const std::string& pattern : choice.runs) {
    const bool useless = std::none_of(plan.runs.begin(), plan.runs.end(),
                                      [&](const auto& run) { return names(pattern, run.run_id); });
    if (useless) fmt::print(stderr, "no run is called {}\n", pattern);
  }
  fmt::print(stderr, "{}\n", summary);
  return ids;
}

}  // namespace dlscale::cli
