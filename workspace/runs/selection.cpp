// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fnmatch.h>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "config/expression/expression.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

using config::Symbol;
using config::Value;

constexpr const char* kSubstudy = "substudy";

/// Returns the symbol for an axis in a condition. The axis has numbers or truth values only if all
/// its values are of this kind. Otherwise the axis has texts.
Symbol symbol_of(const contract::Axis& axis) {
  const std::vector<std::string>& values = axis.values;
  const auto all = [&](auto is_one) {
    return !values.empty() && std::all_of(values.begin(), values.end(), is_one);
  };
  if (all([](const std::string& value) { return base::number_of<double>(value).has_value(); })) {
    return {axis.name, Symbol::Kind::number, {}};
  }
  if (all([](const std::string& value) { return value == "true" || value == "false"; })) {
    return {axis.name, Symbol::Kind::truth, {}};
  }
  return {axis.name, Symbol::Kind::text, values};
}

/// Value of a run that a condition can use although it is not an axis.
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

/// Value of a symbol for the last run. It is kept because neighbouring runs have the same values of
/// most symbols.
struct Seen {
  std::string text;
  Value value;
};

/// Condition on the runs of one plan.
class Condition {
 public:
  Condition(const std::string& text, const base::Location& where, const contract::Plan& plan) {
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
    const config::Node node{text, where};
    expression_.emplace(config::Item{node, ""}, symbols_);
    prepare();
  }

  bool holds(const contract::PlannedRun& run) {
    const std::string_view point = point_of(run.run_id);
    if (!of_repetition_ && last_point_ == point) return last_;
    last_point_ = point;
    return last_ = holds_now(run);
  }
  bool holds_now(const contract::PlannedRun& run) {
    look_at(run);
    return holds_for_any(run.substudies);
  }
  bool is_of_repetition() const { return of_repetition_; }

 private:
  static std::string_view point_of(std::string_view run_id) {
    return run_id.substr(0, run_id.rfind("-r"));
  }

  void prepare() {
    seen_.resize(symbols_.size());
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      named_.push_back(expression_->names(i));
      seen_[i].value = value_of(symbols_[i], "");
      of_repetition_ = of_repetition_ || (named_[i] && symbols_[i].name == "repetition");
    }
    for (const Seen& seen : seen_) values_.push_back(&seen.value);
  }

  /// Returns the value of a symbol for a run. If the point lacks an axis of numbers, the value is
  /// NaN, which is unequal to every value.
  static Value value_of(const Symbol& symbol, const std::string& text) {
    if (symbol.kind == Symbol::Kind::truth) return text == "true";
    if (symbol.kind == Symbol::Kind::text) return text;
    return base::number_of<double>(text).value_or(std::numeric_limits<double>::quiet_NaN());
  }

  void look_at(const contract::PlannedRun& run) {
    static const std::string kNothing;
    for (std::size_t i = 0; i < axes_; ++i) {
      if (!named_[i]) continue;
      const auto found = run.point.find(symbols_[i].name);
      const std::string& text = found == run.point.end() ? kNothing : found->second;
      if (text == seen_[i].text) continue;
      seen_[i] = {text, value_of(symbols_[i], text)};
    }
    for (std::size_t i = 0; i < facts_.size(); ++i) seen_[axes_ + i].value = facts_[i].value(run);
  }

  bool holds_for_any(const std::vector<std::string>& substudies) {
    if (symbols_.back().name != kSubstudy || !named_.back()) return expression_->holds(values_);
    if (substudies.empty()) {
      seen_.back().value = std::string();
      return expression_->holds(values_);
    }
    return std::any_of(substudies.begin(), substudies.end(), [&](const std::string& name) {
      seen_.back().value = name;
      return expression_->holds(values_);
    });
  }

  std::vector<Symbol> symbols_;  // axes and facts, and "substudy" if the plan has sub-studies
  std::size_t axes_ = 0;
  std::vector<Fact> facts_;
  std::optional<config::Expression> expression_;
  std::vector<bool> named_;           // true for each symbol that the condition uses
  std::vector<Seen> seen_;            // value of each symbol for the current run
  std::vector<const Value*> values_;  // pointers to the values in seen_
  bool of_repetition_ = false;
  std::optional<std::string> last_point_;
  bool last_ = false;
};

/// Returns true if the pattern matches the run id. The run ids of a joined frame are "SOURCE/RUN".
/// A pattern without "/" is compared with RUN alone, so that it never matches a source.
bool names(const std::string& pattern, const std::string& run_id) {
  const bool has_source = pattern.find('/') != std::string::npos;
  const std::size_t run = run_id.rfind('/') + 1;  // 0 if there is no "/"
  return ::fnmatch(pattern.c_str(), run_id.c_str() + (has_source ? 0 : run), 0) == 0;
}

/// Returns the condition of a selection as a function, if the condition depends only on the point
/// of a run. Returns an empty function if the selection also uses ids or repetitions. `plan` has
/// the axes. Throws what matching_runs throws.
std::function<bool(const contract::PlannedRun&)> condition_on_points(const SelectionChoice& choice,
                                                                     const contract::Plan& plan) {
  if (choice.where.empty() || !choice.runs.empty()) return {};
  const auto condition = std::make_shared<Condition>(choice.where, choice.where_at, plan);
  if (condition->is_of_repetition()) return {};
  return [condition](const contract::PlannedRun& run) { return condition->holds_now(run); };
}

/// Prints how many of `all` runs match. Throws base::RunError with kExitNothingMatched if no run
/// matches and `choice` does not allow this.
void report_matches(std::size_t matching, std::size_t all, const SelectionChoice& choice) {
  const std::string summary =
      fmt::format("{} of {}", matching, base::count_of(all, "run matches", "runs match"));
  if (matching == 0 && !choice.allow_empty)
    throw base::RunError(summary, base::kExitNothingMatched);
  fmt::print(stderr, "{}\n", summary);
}

}  // namespace

RunIds matching_runs(const contract::Plan& plan, const SelectionChoice& choice) {
  std::optional<Condition> condition;
  if (!choice.where.empty()) condition.emplace(choice.where, choice.where_at, plan);
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

std::vector<const contract::PlannedRun*> runs_with(const contract::Plan& plan, const RunIds& ids) {
  std::vector<const contract::PlannedRun*> runs;
  for (const contract::PlannedRun& run : plan.runs) {
    if (ids.contains(run.run_id)) runs.push_back(&run);
  }
  return runs;
}

RunIds select_runs(const contract::Plan& plan, const SelectionChoice& choice) {
  RunIds ids = matching_runs(plan, choice);
  if (!choice.narrows()) return ids;
  report_matches(ids.size(), plan.runs.size(), choice);
  for (const std::string& pattern : choice.runs) {
    const bool useless = std::none_of(plan.runs.begin(), plan.runs.end(),
                                      [&](const auto& run) { return names(pattern, run.run_id); });
    if (useless) fmt::print(stderr, "no run matches {}\n", pattern);
  }
  return ids;
}

void expand_chosen(planner::Planner& planner, const SelectionChoice& choice,
                   const planner::RunNames& names) {
  if (!choice.narrows()) {
    planner.expand({}, names);
    return;
  }
  // With sub-studies, points must be expanded to ids before they are selected, because only the ids
  // show which runs the sub-studies share.
  const planner::Wanted wanted =
      planner.has_substudies() ? nullptr : condition_on_points(choice, planner.plan());
  if (const auto asked = planner.expand(wanted, names)) {
    const auto repeats = static_cast<std::size_t>(planner.plan().repeats);
    report_matches(asked->wanted * repeats, asked->all * repeats, choice);
  } else {
    planner.keep(select_runs(planner.outline(), choice));
  }
}

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (const runner::JobState state : runner::all_job_states()) names.push_back(to_string(state));
  return names;
}

std::set<runner::JobState> states_of(const StateChoice& choice) {
  const std::vector<std::string> names = state_names();
  std::set<runner::JobState> states;
  for (const std::string& word : choice.words) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) throw base::UsageError(base::unknown_name("state", word, names));
    states.insert(runner::all_job_states()[static_cast<std::size_t>(found - names.begin())]);
  }
  return states;
}

RunIds keep_states(RunIds ids, const StateChoice& choice, const runner::States& states,
                   bool allow_empty) {
  if (!choice.narrows()) return ids;
  const std::set<runner::JobState> wanted = states_of(choice);
  RunIds kept;
  for (const std::string& id : ids) {
    if (wanted.contains(states.at(id))) kept.insert(id);
  }
  const std::string summary =
      fmt::format("{} of {} {} {}", kept.size(), base::count_of(ids.size(), "run"),
                  base::word_for(kept.size(), "is", "are"), fmt::join(choice.words, " or "));
  if (kept.empty() && !allow_empty) throw base::RunError(summary, base::kExitNothingMatched);
  fmt::print(stderr, "{}\n", summary);
  return kept;
}

namespace {

using Runs = std::vector<const contract::PlannedRun*>;

template <class Predicate>
Runs runs_where(const contract::Plan& plan, Predicate holds) {
  Runs found;
  for (const contract::PlannedRun& run : plan.runs) {
    if (holds(run.run_id)) found.push_back(&run);
  }
  return found;
}

[[noreturn]] void refuse_ambiguous(const std::string& name, const Runs& found) {
  throw base::UsageError(fmt::format(
      "{} runs begin with {}: {}, {}{}; give more of the name, or '{}*' for all of them",
      found.size(), name, found[0]->run_id, found[1]->run_id, found.size() > 2 ? ", …" : "", name));
}

}  // namespace

NamedRuns::NamedRuns(std::vector<std::string> words) : names(std::move(words)) {
  const auto holds_plan = [](const std::string& word) {
    return fs::exists(contract::PlanDir(fs::path(word)).plan_json());
  };
  if (names.empty()) return;
  if (holds_plan(names.front())) {
    folder = contract::PlanDir(fs::path(names.front()));
    names.erase(names.begin());
  } else if (!holds_plan(".")) {
    throw base::UsageError(
        fmt::format("no plan.json in {0} or in the current folder; name the folder written by "
                    "dlscale plan -o first, then the runs",
                    names.front()));
  }
}

Runs runs_called(const contract::Plan& plan, const std::string& name) {
  Runs found = runs_where(
      plan, [&](const std::string& id) { return ::fnmatch(name.c_str(), id.c_str(), 0) == 0; });
  if (!found.empty()) return found;
  found = runs_where(plan, [&](const std::string& id) { return id.starts_with(name); });
  if (found.size() > 1) refuse_ambiguous(name, found);
  if (!found.empty()) return found;
  throw base::RunError(fmt::format("no run matches {}; dlscale list shows all runs", name),
                       base::kExitNothingMatched);
}

Runs chosen_runs(const contract::Plan& plan, const NamedRuns& named,
                 const SelectionChoice& selection, const StateChoice& states) {
  std::set<std::string> names;
  for (const std::string& name : named.names) {
    for (const contract::PlannedRun* run : runs_called(plan, name)) names.insert(run->run_id);
  }
  RunIds ids = select_runs(plan, selection);
  if (!named.names.empty()) {
    std::erase_if(ids, [&](const std::string& id) { return !names.contains(id); });
  }
  if (states.narrows()) {
    ids = keep_states(ids, states, runner::run_states(plan, named.folder), selection.allow_empty);
  }
  return runs_with(plan, ids);
}

}  // namespace dlscale::workspace
