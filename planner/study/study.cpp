// SPDX-License-Identifier: Apache-2.0
#include "planner/study/study.hpp"

#include <algorithm>
#include <filesystem>

namespace dlscale::planner {

std::string Study::folder() const {
  return folder_of({}, file);
}

std::string folder_of(const base::Location& where, const std::string& study_file) {
  namespace fs = std::filesystem;
  const bool in_file = where.line > 0;  // line 0: the value is on the command line
  const fs::path file = in_file ? where.file : study_file;
  return fs::absolute(file).lexically_normal().parent_path().string();
}

const StudyAxis* find_axis(const Matrix& matrix, std::string_view name) {
  const auto found = std::find_if(matrix.axes.begin(), matrix.axes.end(),
                                  [&](const StudyAxis& axis) { return axis.name() == name; });
  return found == matrix.axes.end() ? nullptr : &*found;
}

bool varies(const Matrix& matrix, std::string_view setting) {
  return find_axis(matrix, setting) != nullptr ||
         std::any_of(matrix.overrides.begin(), matrix.overrides.end(), [&](const auto& override) {
           return std::any_of(override.changes.begin(), override.changes.end(),
                              [&](const auto& c) { return c.setting.symbol.name == setting; });
         });
}

std::optional<StudyPlace> place_of(const Matrix& matrix, const std::string& name) {
  if (const StudyAxis* axis = find_axis(matrix, name)) return StudyPlace{axis->where, axis->key};
  const auto found = matrix.given.find(name);
  if (found == matrix.given.end()) return std::nullopt;
  return StudyPlace{found->second, matrix.key + "training." + name};
}

}  // namespace dlscale::planner
