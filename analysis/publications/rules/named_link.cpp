// SPDX-License-Identifier: Apache-2.0
// A link has the rate of its standard.
#include <fmt/format.h>

#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& value : publication.values) {
    if (value.quantity != "link_bandwidth" || !value.is_value() || value.axis("link").empty()) {
      continue;
    }
    for (const Published& link : publication.hardware) {
      if (link.quantity != "link_bandwidth" || link.axis("link") != value.axis("link")) continue;
      if (overlap(allowed(value), *link.number)) continue;
      found.push_back(finding_of(
          {&value}, fmt::format("An {} link has {} {}.", link.axis("link"), link.text, link.unit)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule named_link_entry;
const ContradictionRule named_link_entry{
    "named_link", "a link bandwidth is not that of the named standard", &find};

}  // namespace dlscale::analysis
