// SPDX-License-Identifier: Apache-2.0
// A measured rate is a good part of the link, not an eighth of it.
#include <fmt/format.h>

#include <string>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kBitsInByte = 8;
/// Of the link's rate, what large messages reach.
constexpr double kLeastReached = 0.75, kMostReached = 1.02;

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& value : publication.values) {
    if (value.quantity != "calibrated_bandwidth" || !value.is_value() ||
        value.unit.find("bit") == std::string::npos) {
      continue;
    }
    for (const Published& link : publication.values) {
      if (link.quantity != "link_bandwidth" || !link.is_value() ||
          !may_be_one_point(value.axes, link.axes)) {
        continue;
      }
      const double reached = value.number->value * kBitsInByte / link.number->value;
      if (reached < kLeastReached || reached > kMostReached) continue;
      std::string unit = value.unit;
      unit.replace(unit.find("bit"), 3, "B");
      found.push_back(finding_of(
          {&value, &link},
          fmt::format("In bits it is {:.0f} % of the link, in bytes {:.0f} %: it means {} {}.",
                      100 * reached / kBitsInByte, 100 * reached, value.text, unit)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule bits_and_bytes_entry;
const ContradictionRule bits_and_bytes_entry{
    "bits_and_bytes", "a measured bandwidth is right in bytes and wrong in bits", &find};

}  // namespace dlscale::analysis
