// SPDX-License-Identifier: Apache-2.0
#include "forecast/curve_labels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace dlscale::forecast {
namespace {

/// Empty where the curve's runs have no such axis; every run has a model.
std::string axis_value(const PredictedCurve& curve, const std::string& axis) {
  const auto found = curve.axes.find(axis);
  if (found != curve.axes.end()) return found->second;
  return axis == "model" ? curve.first.model : std::string();
}

}  // namespace

std::vector<std::string> telling_axes(const std::vector<std::string>& names,
                                      const std::vector<PredictedCurve>& curves) {
  std::vector<std::string> axes;
  for (const std::string& axis : names) {
    std::map<std::vector<std::string>, std::set<std::string>> values;  // by those of `axes`
    bool any_has = false, any_lacks = false;
    for (const PredictedCurve& curve : curves) {
      std::vector<std::string> before;
      for (const std::string& known : axes) before.push_back(axis_value(curve, known));
      const std::string own = axis_value(curve, axis);
      (own.empty() ? any_lacks : any_has) = true;
      values[std::move(before)].insert(own);
    }
    const bool differs = std::any_of(values.begin(), values.end(),
                                     [](const auto& group) { return group.second.size() > 1; });
    // Of sub-studies one may have an axis that the other lacks: both need a label.
    if (differs || (any_has && any_lacks)) axes.push_back(axis);
  }
  if (axes.empty()) axes.emplace_back("model");
  return axes;
}

analysis::Table curves_table(const PredictedStudy& study, const std::string& id,
                             const std::string& title) {
  analysis::Table table{.id = id, .title = title + " of " + study.study + " on " + study.site};
  for (const std::string& axis : study.axes) table.columns.push_back({axis, axis});
  return table;
}

std::vector<analysis::Cell> beginning(const PredictedStudy& study, const PredictedCurve& curve) {
  std::vector<analysis::Cell> row;
  for (const std::string& axis : study.axes) {
    const std::string value = axis_value(curve, axis);
    row.push_back(value.empty() ? analysis::Cell{} : analysis::Cell{value});
  }
  return row;
}

std::string label_of(const PredictedStudy& study, const PredictedCurve& curve) {
  std::string label;
  for (const std::string& axis : study.axes) {
    const std::string value = axis_value(curve, axis);
    if (!value.empty()) label += (label.empty() ? "" : " ") + value;
  }
  return label;
}

}  // namespace dlscale::forecast
