// SPDX-License-Identifier: Apache-2.0
// A device has the peak of its data sheet at the stated precision.
#include <fmt/format.h>

#include <string>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kRounding = 1.05;

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& value : publication.values) {
    if (value.quantity != "peak" || !value.is_value()) continue;
    const AxisCell precision(value.axis("precision"));
    const std::string name = comparable(value.axis("device"));
    const Published* best = nullptr;
    for (const Published& device : publication.hardware) {
      if (name.empty() || device.quantity != "peak" ||
          !comparable(device.axis("device")).starts_with(name) ||
          !precision.meets(AxisCell(device.axis("precision")))) {
        continue;
      }
      if (best == nullptr || device.number->value > best->number->value) best = &device;
    }
    if (best == nullptr || allowed(value).low <= best->number->value * kRounding) continue;
    found.push_back(finding_of(
        {&value},
        fmt::format("The highest {} peak of that device is {} {} ({}): the number is of "
                    "another precision.",
                    best->axis("precision"), best->text, best->unit, best->axis("device"))));
  }
  return found;
}

}  // namespace

extern const ContradictionRule device_peak_entry;
const ContradictionRule device_peak_entry{
    "device_peak", "a peak is above that of the device at that precision", &find};

}  // namespace dlscale::analysis
