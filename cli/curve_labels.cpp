// SPDX-License-Identifier: Apache-2.0
#include "cli/curve_labels.hpp"

#include <algorithm>

namespace dlscale::cli {
namespace {

/// Empty where the curve's runs have no such axis; every run has a model.
std::string axis_value(const PredictedCurve& curve, const std::string& axis) {
  const auto found = curve.axes.find(axis);
  if (found != curve.axes.end()) return found->second;
  return axis == "model" ? curve.first.model : std::string();
}

}  // namespace

std::vector<std::string> telling_axes(const PredictedStudy& study) {
  std::vector<std::string> axes;
  const auto alike = [&](const PredictedCurve& a, const PredictedCurve& b) {
    return std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) {
      return axis_value(a, axis) == axis_value(b, axis);
    });
  };
  for (const std::string& axis : study.axes) {
    bool telling = false;
    for (const PredictedCurve& a : study.curves) {
      for (const PredictedCurve& b : study.curves) {
        const std::string of_a = axis_value(a, axis), of_b = axis_value(b, axis);
        // Of sub-studies one may have an axis that the other lacks: both need a label.
        telling = telling || (of_a != of_b && (alike(a, b) || of_a.empty()));
      }
    }
    if (telling) axes.push_back(axis);
  }
  if (axes.empty()) axes.emplace_back("model");
  return axes;
}

analysis::Table curves_table(const PredictedStudy& study, const std::string& id,
                             const std::string& title) {
  analysis::Table table{.id = id, .title = title + " of " + study.study + " on " + study.site};
  for (const std::string& axis : telling_axes(study)) table.columns.push_back({axis, axis});
  return table;
}

std::vector<analysis::Cell> beginning(const PredictedStudy& study, const PredictedCurve& curve) {
  std::vector<analysis::Cell> row;
  for (const std::string& axis : telling_axes(study)) {
    const std::string value = axis_value(curve, axis);
    row.push_back(value.empty() ? analysis::Cell{} : analysis::Cell{value});
  }
  return row;
}

std::string label_of(const PredictedStudy& study, const PredictedCurve& curve) {
  std::string label;
  for (const std::string& axis : telling_axes(study)) {
    const std::string value = axis_value(curve, axis);
    if (!value.empty()) label += (label.empty() ? "" : " ") + value;
  }
  return label;
}

}  // namespace dlscale::cli
