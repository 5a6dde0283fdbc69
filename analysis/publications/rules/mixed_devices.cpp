// SPDX-License-Identifier: Apache-2.0
// A speed-up compares counts of one device.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
  std::map<std::pair<std::string, std::string>, Evidence> mixed;
  for (const PublishedSeries& series : series_along(publication, "gpus")) {
    const Published &first = *series.points.front().value, &last = *series.points.back().value;
    const std::string a = first.axis("device"), b = last.axis("device");
    if ((!is_whole_time(first) && !is_rate(first)) || a.empty() || b.empty() || a == b) continue;
    Evidence& evidence = mixed[{a, b}];
    evidence.insert(evidence.end(), {&first, &last});
  }
  std::vector<Finding> found;
  for (const auto& [devices, evidence] : mixed) {
    found.push_back(finding_of(
        evidence, fmt::format("{} curves go from {} to {}: their ratios mix a newer device with "
                              "more devices and are no speed-up.",
                              evidence.size() / 2, devices.first, devices.second)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule mixed_devices_entry;
const ContradictionRule mixed_devices_entry{
    "mixed_devices", "the points of a curve ran on different devices", &find};

}  // namespace dlscale::analysis
