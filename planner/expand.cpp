// SPDX-License-Identifier: Apache-2.0
#include "planner/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "contract/run_id.hpp"
#include "planner/derive.hpp"

namespace dlscale::planner {
namespace {

constexpr double kMostRuns = 1e6;

/// The value of each axis, in the order of the axes.
using Point = std::vector<const Node*>;

/// Calls `visit(point)` for each combination, the last list fastest.
template <class Visit>
void for_each_combination(const std::vector<const std::vector<Node>*>& lists, Visit visit) {
  std::vector<std::size_t> at(lists.size(), 0);
  Point point(lists.size());
  for (;;) {
    for (std::size_t i = 0; i < lists.size(); ++i) point[i] = &(*lists[i])[at[i]];
    visit(point);
    std::size_t i = lists.size();
    while (i > 0 && ++at[i - 1] == lists[i - 1]->size()) at[--i] = 0;
    if (i == 0) return;
  }
}

Value value_of(const Node& node) {
  if (const auto* number = std::get_if<std::int64_t>(&node.value)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<double>(&node.value)) return *number;
  if (const auto* truth = std::get_if<bool>(&node.value)) return *truth;
  return to_text(node);
}

class Expander {
 public:
  explicit Expander(const Study& study) : study_(study) {}

  void add(const Point& point) {
    Recipe recipe = study_.recipe;
    recipe.run.study = study_.name;
    recipe.run.scaling = study_.scaling;
    recipe.run.seed = study_.seed;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const StudyAxis& axis = study_.axes[i];
      axis.setting->read(recipe, {*point[i], "matrix." + axis.name()});
      recipe.run.point[axis.name()] = to_text(*point[i]);
    }
    if (const std::string* why = excluded(point, recipe)) {
      result_.skipped.push_back({recipe.run.point, *why});
      return;
    }
    Derived derived = derive(recipe, study_.uneven_batch);
    if (!derived.schedule_problem.empty()) {
      refuse(point, derived.run, "lr_schedule", derived.schedule_problem);
    }
    if (!derived.batch_problem.empty()) {
      if (study_.uneven_batch != "skip") {
        refuse(point, derived.run, recipe.global_batch ? "global_batch" : "batch_per_gpu",
               derived.batch_problem);
      }
      result_.skipped.push_back({derived.run.point, derived.batch_problem});
      return;
    }
    check_dataset(point, derived.run);
    if (!derived.note.empty()) note(derived.note);
    check_unique(derived.run);
    result_.points.push_back({std::move(derived.run), node_of(point, "gpus")});
  }
  Expansion take() { return std::move(result_); }

 private:
  /// In the order of study_symbols.
  std::vector<Value> point_values(const Point& point, const Recipe& recipe) const {
    std::vector<Value> values;
    for (const Node* node : point) values.push_back(value_of(*node));
    const double parts = static_cast<double>(recipe.run.gpus) * recipe.run.accumulation_steps;
    if (!recipe.batch_per_gpu) values.push_back(static_cast<double>(*recipe.global_batch) / parts);
    if (!recipe.global_batch) values.push_back(static_cast<double>(*recipe.batch_per_gpu) * parts);
    return values;
  }
  const std::string* excluded(const Point& point, const Recipe& recipe) const {
    if (study_.exclusions.empty()) return nullptr;
    const std::vector<Value> values = point_values(point, recipe);
    for (const Exclusion& exclusion : study_.exclusions) {
      if (exclusion.when.holds(values)) return &exclusion.why;
    }
    return nullptr;
  }
  const Node* node_of(const Point& point, std::string_view axis) const {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (study_.axes[i].name() == axis) return point[i];
    }
    return nullptr;
  }
  /// All data but the synthetic lie in files.
  void check_dataset(const Point& point, const contract::RunSpec& run) const {
    const contract::DatasetSpec& dataset = run.dataset;
    if (!dataset.path.empty() || dataset.kind.rfind("synthetic", 0) == 0) return;
    const Node* node = node_of(point, "dataset.kind");
    throw base::SpecError(node != nullptr ? node->where : study_.dataset_where, "training.dataset",
                          fmt::format("{} needs a path", dataset.kind));
  }
  [[noreturn]] void refuse(const Point& point, const contract::RunSpec& run,
                           const std::string& axis, const std::string& problem) const {
    const Node* node = node_of(point, axis);
    throw base::SpecError(node != nullptr ? node->where : base::Location{study_.file},
                          "matrix." + axis, fmt::format("{} (point {})", problem, point_text(run)));
  }
  void note(const std::string& text) {
    auto& notes = result_.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }
  void check_unique(const contract::RunSpec& run) {
    const std::string text = point_text(run);
    const auto [known, inserted] = seen_.emplace(contract::make_run_id(run), text);
    if (!inserted) {
      throw base::SpecError({study_.file}, "",
                            fmt::format("two points are the same run: {} and {}", known->second,
                                        text == known->second ? "again (by [[include]])" : text));
    }
  }
  static std::string point_text(const contract::RunSpec& run) {
    std::string text;
    for (const auto& [axis, value] : run.point) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
    }
    return text;
  }

  const Study& study_;
  Expansion result_;
  std::map<std::string, std::string> seen_;  // run id → point
};

/// Counts before anything is built; in doubles, which do not overflow.
void check_size(const Study& study) {
  double product = 1;
  for (const StudyAxis& axis : study.axes) product *= static_cast<double>(axis.values.size());
  double points = product;
  for (const auto& include : study.includes) {
    product = 1;
    for (const auto& values : include) product *= static_cast<double>(values.size());
    points += product;
  }
  if (points * study.repeats > kMostRuns) {
    throw base::SpecError({study.file}, "matrix",
                          fmt::format("{:.0f} points x {} repeats are {:.0f} runs, at most {:.0f}",
                                      points, study.repeats, points * study.repeats, kMostRuns));
  }
}

}  // namespace

Expansion expand(const Study& study) {
  check_size(study);
  Expander expander(study);
  std::vector<const std::vector<Node>*> lists;
  for (const StudyAxis& axis : study.axes) lists.push_back(&axis.values);
  for_each_combination(lists, [&](const Point& point) { expander.add(point); });
  for (const auto& include : study.includes) {
    for (std::size_t i = 0; i < include.size(); ++i) lists[i] = &include[i];
    for_each_combination(lists, [&](const Point& point) { expander.add(point); });
  }
  return expander.take();
}

}  // namespace dlscale::planner
