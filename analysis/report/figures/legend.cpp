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
  // An axis without any value would be in the title but in no label.
  std::vector<std::string> with_values = axes_;
  std::erase_if(with_values, [&](const std::string& axis) {
    return std::ranges::all_of(keys,
                               [&](const CurveKey& key) { return value_of(key, axis).empty(); });
  });
  if (!with_values.empty()) axes_ = std::move(with_values);
  const std::vector<std::string> all = axes_of(keys);
  for (const std::string& axis : axes_) {
    title_ += (title_.empty() ? "" : ", ") +
              (axis == kGpus ? worker + "s" : axis_title(axis, worker, all));
  }
  if (axes_.empty()) return;
  unnamed_ = is_batch(axes_.front()) ? "unknown" : axis_text(short_axis(axes_.front(), all), "");
}

Series Legend::series(const CurveKey& key) {
  std::vector<std::string> values;
  for (const std::string& axis : axes_) values.push_back(value_of(key, axis));
  Series series;
  for (const std::string& value : values) {
    if (value.empty()) continue;
    series.label += (series.label.empty() ? "" : ", ") + value;
  }
  if (series.label.empty()) series.label = values.empty() ? "measured" : unnamed_;
  series.color = number_of_name(colors_, values.empty() ? "" : values.front());
  const bool one_axis = values.size() < 2;
  series.mark =
      one_axis ? series.color : number_of_name(marks_, series.label.substr(values[0].size()));
  return series;
}

}  // namespace dlscale::analysis
