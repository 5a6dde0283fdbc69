// SPDX-License-Identifier: Apache-2.0
// A device has the memory of its data sheet.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

/// Of the nominal capacity, what programs see at least (error correction and the driver take some).
constexpr double kLeastUsable = 0.87;
constexpr double kMostUsable = 1.001;
constexpr double kSameCapacity = 0.003;

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& value : publication.values) {
    if (value.quantity != "memory" || !value.is_value()) continue;
    bool known = false, fits = false;
    std::string meaning;
    for (const Published& device : publication.hardware) {
      const double share = value.number->value / device.number->value;
      const bool same = comparable(device.axis("device")) == comparable(value.axis("device"));
      if (device.quantity == "memory" && same) {
        known = true;
        fits = fits || (share >= kLeastUsable && share <= kMostUsable);
        meaning = fmt::format("A {} has {} {}.", device.axis("device"), device.text, device.unit);
      }
      if (device.quantity == "usable_memory" && !same && std::abs(share - 1) < kSameCapacity) {
        meaning += fmt::format(" {} {} is what a {} shows.", value.text, value.unit,
                               device.axis("device"));
      }
    }
    if (known && !fits) found.push_back(finding_of({&value}, meaning));
  }
  return found;
}

}  // namespace

extern const ContradictionRule device_memory_entry;
const ContradictionRule device_memory_entry{
    "device_memory", "a memory capacity is not that of the named device", &find};

}  // namespace dlscale::analysis
