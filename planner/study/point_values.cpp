// SPDX-License-Identifier: Apache-2.0
#include "planner/study/point_values.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/study/settings.hpp"

namespace dlscale::planner {
namespace {

std::optional<std::int64_t> given(const config::Value& value) {
  const double number = std::get<double>(value);
  if (std::isnan(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

void name_values(Matrix& matrix, const std::vector<Setting>& parameters,
                 const std::vector<std::string>& substudies) {
  const bool ours = matrix.recipe.run.trainer.command.empty();
  const auto is_axis = [&](const std::string& name) {
    return std::any_of(matrix.axes.begin(), matrix.axes.end(),
                       [&](const StudyAxis& axis) { return axis.name() == name; });
  };
  for (const StudyAxis& axis : matrix.axes) {
    config::Symbol symbol = axis.setting.symbol;
    std::vector<std::string>& choices = symbol.choices;
    // Adds values such as model files, which are not in the list of choices.
    for (const std::string& text : axis.texts) {
      const bool any = choices.empty();
      if (!any && std::find(choices.begin(), choices.end(), text) == choices.end()) {
        choices.push_back(text);
      }
    }
    matrix.symbols.push_back(std::move(symbol));
    matrix.constants.emplace_back();
  }
  const auto add = [&](const Setting& setting, std::string group) {
    if (setting.is_list || is_axis(setting.symbol.name)) return;
    matrix.symbols.push_back(setting.symbol);
    matrix.symbols.back().group = std::move(group);
    matrix.constants.push_back(setting.value(matrix.recipe));
  };
  for (const Setting& setting : axis_settings()) add(setting, "keys of [training]");
  for (const Setting& setting : parameters) add(setting, "");
  if (!ours) {
    for (config::Symbol& symbol : matrix.symbols) symbol.choices.clear();
  }
  if (!substudies.empty()) {
    matrix.symbols.push_back({"substudy", config::Symbol::Kind::text, substudies});
    matrix.constants.emplace_back(matrix.name);
  }
}

PointValues::PointValues(const Matrix& matrix, const std::string& uneven_batch)
    : matrix_(matrix),
      uneven_batch_(uneven_batch),
      values_(matrix.symbols.size()),
      gpus_(index_of("gpus")),
      per_gpu_(index_of("batch_per_gpu")),
      global_(index_of("global_batch")),
      most_per_gpu_(index_of("max_batch_per_gpu")),
      steps_(index_of("accumulation_steps")) {}

void PointValues::move_to(const std::vector<std::uint32_t>& values) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] = i < values.size() ? &matrix_.axes[i].seen[values[i]] : &matrix_.constants[i];
  }
  derive_batches();
}

void PointValues::apply(const Override& override) {
  for (const Override::Change& change : override.changes) {
    const std::size_t index = index_of(change.setting.symbol.name);
    if (index < values_.size()) values_[index] = &change.seen;
  }
  // Clears the derived batches, because they must be derived again from the changed values.
  const std::pair<std::size_t, int> slots[] = {{per_gpu_, 0}, {global_, 1}, {steps_, 2}};
  for (const auto& [index, slot] : slots) {
    if (values_[index] == &derived_[slot]) values_[index] = &matrix_.constants[index];
  }
  derive_batches();
}

std::size_t PointValues::index_of(const std::string& name) const {
  const auto found =
      std::find_if(matrix_.symbols.begin(), matrix_.symbols.end(),
                   [&](const config::Symbol& symbol) { return symbol.name == name; });
  return static_cast<std::size_t>(found - matrix_.symbols.begin());
}

void PointValues::derive_batches() {
  const auto requested_key = [&](std::size_t index) { return given(*values_[index]); };
  const std::optional<std::int64_t> steps = requested_key(steps_);
  batches_ =
      split_batches({requested_key(per_gpu_), requested_key(global_), requested_key(most_per_gpu_),
                     steps ? std::optional(static_cast<int>(*steps)) : std::nullopt},
                    gpus(), uneven_batch_);
  const auto fill = [&](std::size_t index, int slot, double value) {
    if (requested_key(index)) return;
    derived_[slot] = value;
    values_[index] = &derived_[slot];
  };
  const bool even = batches_.problem.empty();
  fill(per_gpu_, 0, even ? static_cast<double>(batches_.batch_per_gpu) : batches_.quotient);
  fill(global_, 1, static_cast<double>(batches_.global_batch));
  fill(steps_, 2, batches_.accumulation_steps);
}

}  // namespace dlscale::planner
