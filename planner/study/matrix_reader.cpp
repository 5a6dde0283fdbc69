// SPDX-License-Identifier: Apache-2.0
#include "planner/study/matrix_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/study/axes_reader.hpp"
#include "planner/study/point_values.hpp"
#include "planner/study/settings.hpp"

namespace dlscale::planner {
namespace {

using Parameters = std::vector<Setting>;

Parameters read_training(const config::Item& training, Matrix& matrix) {
  Parameters parameters;
  match_settings(training, training_settings(),
                 [&](const Setting& setting, const config::Item& item) {
                   setting.read(matrix.recipe, item);
                   matrix.given[setting.symbol.name] = item.node.where;
                   const std::string& name = setting.symbol.name;
                   if (name.starts_with("parameters.") || name.starts_with("environment."))
                     parameters.push_back(setting);
                 });
  return parameters;
}

/// Splits the keys of an [[override]] or [[exclude]]. Stores the value of each key of `named` in
/// `values`, or null if the key is missing. Returns the other keys as a table.
config::Node without(const config::Item& item, const std::vector<std::string>& named,
                     std::vector<const config::Node*>& values) {
  config::Node rest{config::Table{}, item.node.where};
  values.assign(named.size(), nullptr);
  for (const config::Entry& entry : item.table()) {
    const auto known = std::find(named.begin(), named.end(), entry.key);
    if (known == named.end()) {
      std::get<config::Table>(rest.value).push_back(entry);
    } else {
      values[static_cast<std::size_t>(known - named.begin())] = &entry.node;
    }
  }
  return rest;
}

config::Expression read_condition(const config::Item& item, const config::Node* when,
                                  const Matrix& matrix) {
  if (when == nullptr) item.fail("when = 'condition' is missing");
  const config::Item condition{*when, item.key + ".when"};
  condition.word();
  return config::Expression(condition, matrix.symbols);
}

void read_override(const config::Item& item, Matrix& matrix) {
  std::vector<const config::Node*> named;
  const config::Node rest = without(item, {"when"}, named);
  Override change{read_condition(item, named[0], matrix), {}, item.key, item.node.where};
  Recipe scratch = matrix.recipe;
  match_settings(
      {rest, item.key}, training_settings(),
      [&](const Setting& setting, const config::Item& value) {
        if (const StudyAxis* axis = find_axis(matrix, setting.symbol.name)) {
          value.fail(fmt::format("is an axis ({}): an override cannot change it", axis->key));
        }
        setting.read(scratch, value);
        change.changes.push_back({setting, value.key, value.node, seen_value(value.node)});
      });
  if (change.changes.empty()) item.fail("changes nothing; add keys of [training]");
  matrix.overrides.push_back(std::move(change));
}

void read_exclude(const config::Item& item, Matrix& matrix) {
  std::vector<const config::Node*> named(2);
  config::match_keys(item, {"when", "why"}, [&](std::size_t i, const config::Item& value) {
    value.word();
    named[i] = &value.node;
  });
  if (named[0] == nullptr) item.fail("when = 'condition' is missing");
  if (named[1] == nullptr) item.fail("why = \"reason\" is missing");
  matrix.exclusions.push_back(
      {read_condition(item, named[0], matrix), std::get<std::string>(named[1]->value)});
}

/// Returns the place at which the matrix or one of its overrides sets a setting, or nothing.
std::optional<StudyPlace> place_anywhere(const Matrix& matrix, const std::string& name) {
  if (const std::optional<StudyPlace> place = place_of(matrix, name)) return place;
  for (const Override& change : matrix.overrides) {
    for (const Override::Change& value : change.changes) {
      if (value.setting.symbol.name == name) return StudyPlace{value.node.where, value.key};
    }
  }
  return std::nullopt;
}

/// Throws base::SpecError if the matrix sets both keys of a pair that exclude each other.
void check_alternatives(const Matrix& matrix) {
  const auto refuse = [&](const StudyPlace& place, const std::string& other) {
    throw base::SpecError(place.where, place.key, other + " is also given; keep one of the two");
  };
  for (const auto& [one, other] : alternatives()) {
    const auto first = place_anywhere(matrix, one), second = place_anywhere(matrix, other);
    const bool batches = std::string_view(one) == "batch_per_gpu";
    if (first && second && !(batches && matrix.scaling == "throughput")) refuse(*second, one);
  }
  if (!place_anywhere(matrix, "batch_per_gpu") || !place_anywhere(matrix, "global_batch")) return;
  const auto steps = place_anywhere(matrix, "accumulation_steps");
  if (steps) refuse(*steps, "batch_per_gpu and global_batch");
}

void check_axes(const config::Item& section, const Matrix& matrix) {
  const auto missing = [&](const std::string& name, const std::string& advice = "") {
    throw base::SpecError(section.node.where, section.key + "." + name, "missing" + advice);
  };
  const bool ours = matrix.recipe.run.trainer.command.empty();
  if (ours && find_axis(matrix, "model") == nullptr) missing("model");
  if (find_axis(matrix, "gpus") == nullptr) missing("gpus");
  const auto per_gpu = place_anywhere(matrix, "batch_per_gpu"),
             global = place_anywhere(matrix, "global_batch");
  const char* scaling_key = matrix.name.empty() ? "study.scaling" : "scaling";
  if (matrix.scaling == "weak" && global && !per_gpu) {
    throw base::SpecError(global->where, global->key,
                          fmt::format("weak scaling keeps the batch per GPU fixed; give "
                                      "batch_per_gpu, or set {} = \"strong\"",
                                      scaling_key));
  }
  if (matrix.scaling == "strong" && per_gpu && !global) {
    throw base::SpecError(
        per_gpu->where, per_gpu->key,
        fmt::format(
            "strong scaling keeps the global batch fixed; give global_batch, or set {} = \"weak\"",
            scaling_key));
  }
  if (!place_of(matrix, "batch_per_gpu") && !place_of(matrix, "global_batch")) {
    const bool is_strong = matrix.scaling == "strong";
    if (ours) missing(is_strong ? "global_batch" : "batch_per_gpu");
    if (is_strong) {
      missing("global_batch",
              "; give the batch that the script uses on all GPUs together, for example "
              "global_batch = [256]");
    }
    missing("batch_per_gpu",
            fmt::format(
                "; give the batch that the script uses per GPU, for example "
                "batch_per_gpu = [64], or give global_batch{}",
                matrix.scaling == "weak" ? fmt::format(" and {} = \"strong\"", scaling_key) : ""));
  }
}

/// Throws base::SpecError for a study that trains without a learning rate, which is probably a
/// mistake. An external trainer may not need a learning rate, so its study is not checked.
void check_learning_rate(const config::Item& training, const Matrix& matrix) {
  const contract::RunSpec& run = matrix.recipe.run;
  if (!run.trainer.command.empty() || run.mode == "inference") return;
  if (place_of(matrix, "lr.base_per_gpu") || place_of(matrix, "lr.base")) return;
  throw base::SpecError(training.node.where, training.key + ".lr",
                        "missing; give { base_per_gpu = … } or { base = … }");
}

void check_parameters(const Matrix& matrix) {
  if (!matrix.recipe.run.trainer.command.empty()) return;
  const auto check = [](const std::string& name, const base::Location& where,
                        const std::string& key) {
    if (name.rfind("parameters.", 0) != 0) return;
    throw base::SpecError(where, key, "requires an external trainer; set [trainer] command");
  };
  for (const StudyAxis& axis : matrix.axes) check(axis.name(), axis.where, axis.key);
  for (const auto& [name, where] : matrix.given) check(name, where, place_of(matrix, name)->key);
  for (const Override& change : matrix.overrides) {
    for (const auto& value : change.changes) {
      check(value.setting.symbol.name, value.node.where, value.key);
    }
  }
}

}  // namespace

Matrix read_matrix(const MatrixSections& sections, Matrix matrix,
                   const std::vector<std::string>& substudies) {
  read_axes(sections.matrix, matrix);
  for (const config::Item& zip : sections.zips) read_zip(zip, matrix);
  const Parameters parameters = read_training(sections.training, matrix);
  for (const config::Item& include : sections.includes) read_include(include, matrix);
  name_values(matrix, parameters, substudies);
  for (const config::Item& change : sections.overrides) read_override(change, matrix);
  check_alternatives(matrix);
  check_axes(sections.matrix, matrix);
  check_learning_rate(sections.training, matrix);
  check_parameters(matrix);
  for (const config::Item& exclusion : sections.exclusions) read_exclude(exclusion, matrix);
  matrix.resources = read_resources(sections.resources);
  return matrix;
}

void check_values(const MatrixSections& sections, Matrix matrix) {
  read_axes(sections.matrix, matrix);
  read_training(sections.training, matrix);
  read_resources(sections.resources);
}

}  // namespace dlscale::planner
