// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/legend.hpp"

#include <algorithm>

#include "analysis/report/tables/captions.hpp"

namespace dlscale::analysis {
namespace {

std::size_t number_of_name(std::map<std::string, std::size_t>& seen, const std::string& name) {
  return seen.try_emplace(name, seen.size()).first->second;
}

}  // namespace

Legend::Legend(const std::vector<CurveKey>& keys, const std::string& worker)
    : axes_(varying_axes(keys)) {
  for (const std::string& axis : axes_) {
    title_ +=
        (title_.empty() ? "" : ", ") + (axis == "gpus" ? worker + "s" : axis_title(axis, worker));
  }
}

Series Legend::series(const CurveKey& key) {
  std::vector<std::string> values;
  for (const std::string& axis : axes_) values.push_back(value_of(key, axis));
  Series series;
  for (const std::string& value : values) {
    if (value.empty()) continue;
    series.label += (series.label.empty() ? "" : ", ") + value;
  }
  if (series.label.empty()) {
    const bool is_unset =
        !values.empty() && std::ranges::find(key, axes_.front(), &AxisValue::axis) == key.end();
    const std::string axis = is_unset ? axes_.front() : "";
    series.label = is_unset         ? "no " + axis.substr(axis.rfind('.') + 1)
                   : values.empty() ? "measured"
                                    : "unknown";
  }
  series.color = number_of_name(colors_, values.empty() ? "" : values.front());
  const bool one_axis = values.size() < 2;
  series.mark =
      one_axis ? series.color : number_of_name(marks_, series.label.substr(values[0].size()));
  return series;
}

}  // namespace dlscale::analysis
