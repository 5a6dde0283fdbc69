// SPDX-License-Identifier: Apache-2.0
#include "planner/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "contract/run_id.hpp"
#include "planner/derive.hpp"

namespace dlscale::planner {
namespace {

constexpr double kMostRuns = 1e6;

/// The index of each axis' value, in the order of the axes.
using Values = std::vector<std::uint32_t>;

/// Calls `visit(values)` for each combination, the last factor fastest.
template <class Visit>
void for_each_combination(const Block& block, std::size_t axes, Visit visit) {
  std::vector<std::size_t> at(block.size(), 0);
  Values values(axes);
  for (;;) {
    for (std::size_t f = 0; f < block.size(); ++f) {
      const Factor& factor = block[f];
      for (std::size_t a = 0; a < factor.axes.size(); ++a) {
        values[factor.axes[a]] = factor.rows[at[f]][a];
      }
    }
    visit(values);
    std::size_t f = block.size();
    while (f > 0 && ++at[f - 1] == block[f - 1].rows.size()) at[--f] = 0;
    if (f == 0) return;
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

/// In the order of study_symbols.
std::vector<Value> point_values(const Matrix& matrix, const Values& values, const Recipe& recipe) {
  std::vector<Value> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back(value_of(matrix.axes[i].values[values[i]]));
  }
  const double parts = static_cast<double>(recipe.run.gpus) * recipe.run.accumulation_steps;
  if (!recipe.batch_per_gpu) result.push_back(static_cast<double>(*recipe.global_batch) / parts);
  if (!recipe.global_batch) result.push_back(static_cast<double>(*recipe.batch_per_gpu) * parts);
  return result;
}

/// What the matrix says of a point: its recipe, the point's values, the overrides.
Recipe recipe_of(const Study& study, const Matrix& matrix, const Values& values) {
  Recipe recipe = matrix.recipe;
  recipe.run.study = study.name;
  recipe.run.scaling = matrix.scaling;
  recipe.run.seed = study.seed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const StudyAxis& axis = matrix.axes[i];
    axis.setting.read(recipe, {axis.values[values[i]], axis.name()});
    recipe.run.point.emplace(axis.name(), axis.texts[values[i]]);
  }
  if (matrix.overrides.empty()) return recipe;
  const std::vector<Value> seen = point_values(matrix, values, recipe);
  for (const Override& change : matrix.overrides) {
    if (!change.when.holds(seen)) continue;
    for (const auto& [setting, item] : change.values) setting.read(recipe, item);
  }
  return recipe;
}

std::string point_text(const contract::RunSpec& run) {
  std::string text;
  for (const auto& [axis, value] : run.point) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
  }
  return text;
}

/// Adds the points of one matrix.
class Expander {
 public:
  Expander(const Study& study, std::uint32_t matrix, Expansion& result,
           std::unordered_map<std::string, std::size_t>& known)
      : study_(study),
        matrix_(study.matrices[matrix]),
        number_(matrix),
        result_(result),
        known_(known) {}

  void add(const Values& values) {
    const Recipe recipe = recipe_of(study_, matrix_, values);
    if (const std::string* why = excluded(values, recipe)) {
      result_.skipped.push_back({recipe.run.point, *why});
      return;
    }
    Derived derived = derive(recipe, study_.uneven_batch);
    if (!derived.schedule_problem.empty()) {
      refuse(values, derived.run, "lr_schedule", derived.schedule_problem);
    }
    if (!derived.batch_problem.empty()) {
      if (study_.uneven_batch != "skip") {
        refuse(values, derived.run, recipe.global_batch ? "global_batch" : "batch_per_gpu",
               derived.batch_problem);
      }
      result_.skipped.push_back({derived.run.point, derived.batch_problem});
      return;
    }
    check_dataset(values, derived.run);
    if (!derived.note.empty()) note(derived.note);
    add_once(values, derived.run);
  }

 private:
  const std::string* excluded(const Values& values, const Recipe& recipe) const {
    if (matrix_.exclusions.empty()) return nullptr;
    const std::vector<Value> seen = point_values(matrix_, values, recipe);
    for (const Exclusion& exclusion : matrix_.exclusions) {
      if (exclusion.when.holds(seen)) return &exclusion.why;
    }
    return nullptr;
  }
  const Node* node_of(const Values& values, std::string_view axis) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (matrix_.axes[i].name() == axis) return &matrix_.axes[i].values[values[i]];
    }
    return nullptr;
  }
  /// All data but the synthetic lie in files.
  void check_dataset(const Values& values, const contract::RunSpec& run) const {
    const contract::DatasetSpec& dataset = run.dataset;
    if (!dataset.path.empty() || dataset.kind.rfind("synthetic", 0) == 0) return;
    const Node* node = node_of(values, "dataset.kind");
    throw base::SpecError(node != nullptr ? node->where : matrix_.dataset_where, "training.dataset",
                          fmt::format("{} needs a path", dataset.kind));
  }
  [[noreturn]] void refuse(const Values& values, const contract::RunSpec& run,
                           const std::string& axis, const std::string& problem) const {
    const Node* node = node_of(values, axis);
    throw base::SpecError(node != nullptr ? node->where : base::Location{study_.file},
                          "matrix." + axis, fmt::format("{} (point {})", problem, point_text(run)));
  }
  void note(const std::string& text) {
    auto& notes = result_.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }
  void add_once(const Values& values, const contract::RunSpec& run) {
    std::string id = contract::point_id(contract::make_run_id(run));
    const auto [known, is_new] = known_.emplace(id, result_.points.size());
    if (is_new) {
      result_.points.push_back({number_, values, std::move(id), {}});
      return;
    }
    Point& first = result_.points[known->second];
    if (first.matrix != number_) {
      if (first.also.empty() || first.also.back() != number_) first.also.push_back(number_);
      return;
    }
    const std::string text = point_text(run), other = point_text(run_of(study_, first));
    throw base::SpecError({study_.file}, "",
                          fmt::format("two points are the same run: {} and {}", other,
                                      text == other ? "again (by [[include]])" : text));
  }

  const Study& study_;
  const Matrix& matrix_;
  std::uint32_t number_;
  Expansion& result_;
  std::unordered_map<std::string, std::size_t>& known_;  // id → index of its point
};

/// Counts before anything is built; in doubles, which do not overflow.
void check_size(const Study& study) {
  double points = 0;
  for (const Matrix& matrix : study.matrices) {
    for (const Block& block : matrix.blocks) {
      double product = 1;
      for (const Factor& factor : block) product *= static_cast<double>(factor.rows.size());
      points += product;
    }
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
  Expansion result;
  std::unordered_map<std::string, std::size_t> known;
  for (std::uint32_t i = 0; i < study.matrices.size(); ++i) {
    Expander expander(study, i, result, known);
    for (const Block& block : study.matrices[i].blocks) {
      for_each_combination(block, study.matrices[i].axes.size(),
                           [&](const Values& values) { expander.add(values); });
    }
  }
  return result;
}

contract::RunSpec run_of(const Study& study, const Point& point) {
  const Matrix& matrix = study.matrices[point.matrix];
  return derive(recipe_of(study, matrix, point.values), study.uneven_batch).run;
}

Item gpus_of(const Study& study, const Point& point) {
  const std::vector<StudyAxis>& axes = study.matrices[point.matrix].axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name() == "gpus") return {axes[i].values[point.values[i]], "matrix.gpus"};
  }
  throw base::SpecError({study.file}, "matrix.gpus", "missing");
}

}  // namespace dlscale::planner
