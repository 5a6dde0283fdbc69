// SPDX-License-Identifier: Apache-2.0
#include "planner/study/outlines.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "contract/run_spec/run_id.hpp"
#include "planner/study/point_values.hpp"

namespace dlscale::planner {

std::vector<std::string> substudies_of(const Study& study, const Point& point) {
  std::vector<std::string> names;
  const auto add = [&](std::uint32_t matrix) {
    const std::string& name = study.matrices[matrix].name;
    if (!name.empty()) names.push_back(name);
  };
  add(point.matrix);
  for (const std::uint32_t matrix : point.also) add(matrix);
  return names;
}

void repeat(const Study& study, const Point& point, contract::PlannedRun run,
            std::vector<contract::PlannedRun>& runs) {
  for (int repetition = 1; repetition <= study.repeats; ++repetition) {
    run.repetition = repetition;
    run.run_id = contract::run_id_of(point.id, repetition);
    runs.push_back(run);
  }
}

std::vector<contract::PlannedRun> outlines(const Study& study, const std::vector<Point>& points) {
  std::vector<contract::PlannedRun> runs;
  runs.reserve(points.size() * static_cast<std::size_t>(study.repeats));
  std::optional<PointValues> seen;
  const Matrix* of = nullptr;  // matrix that `seen` describes
  for (const Point& point : points) {
    const Matrix& matrix = study.matrices[point.matrix];
    if (of != &matrix) seen.emplace(*(of = &matrix), study.uneven_batch);
    seen->move_to(point.values);
    for (const std::uint32_t i : point.overrides) seen->apply(matrix.overrides[i]);
    contract::PlannedRun run = outline(matrix, point, *seen);
    run.substudies = substudies_of(study, point);
    repeat(study, point, std::move(run), runs);
  }
  return runs;
}

void add_axes(const Matrix& matrix, std::vector<contract::Axis>& axes) {
  for (const StudyAxis& axis : matrix.axes) {
    auto known = std::find_if(axes.begin(), axes.end(), [&](const contract::Axis& other) {
      return other.name == axis.name();
    });
    if (known == axes.end()) known = axes.insert(axes.end(), {axis.name(), {}});
    for (const std::string& text : axis.texts) {
      const auto& values = known->values;
      if (std::find(values.begin(), values.end(), text) == values.end()) {
        known->values.push_back(text);
      }
    }
  }
}

}  // namespace dlscale::planner
