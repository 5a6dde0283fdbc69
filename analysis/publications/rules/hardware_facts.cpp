// SPDX-License-Identifier: Apache-2.0
// Rules: devices and links match their data sheets, and a curve has one device.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {

// Rule: a device has the memory of its data sheet.

namespace {

/// Smallest fraction of the nominal memory capacity that is available to programs. Error correction
/// and the driver use the rest.
constexpr double kLeastUsable = 0.87;
constexpr double kMostUsable = 1.001;
constexpr double kSameCapacity = 0.003;

std::vector<Finding> find_device_memory(const Publication& publication) {
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
        meaning += fmt::format(" {} {} is the usable memory of a {}.", value.text, value.unit,
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
    "device_memory", "a memory capacity differs from the capacity of the named device",
    &find_device_memory};

// Rule: the stated peak of a device does not exceed the peak in its data sheet at the stated
// precision.

namespace {

constexpr double kRounding = 1.05;

std::vector<Finding> find_device_peak(const Publication& publication) {
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
        fmt::format("The highest {} peak of that device is {} {} ({}): the number belongs to "
                    "another precision.",
                    best->axis("precision"), best->text, best->unit, best->axis("device"))));
  }
  return found;
}

}  // namespace

extern const ContradictionRule device_peak_entry;
const ContradictionRule device_peak_entry{
    "device_peak", "a stated peak performance exceeds the peak of the device at that precision",
    &find_device_peak};

// Rule: the stated bandwidth of a link is the bandwidth of the standard that it is named after.

namespace {

std::vector<Finding> find_named_link(const Publication& publication) {
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
    "named_link", "a stated link bandwidth differs from the bandwidth of the named standard",
    &find_named_link};

// Rule: a speed-up compares different numbers of the same device.

namespace {

std::vector<Finding> find_mixed_devices(const Publication& publication) {
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
    found.push_back(
        finding_of(evidence, fmt::format("{} curves go from {} to {}: their ratios combine a newer "
                                         "device with more devices and are not speed-ups.",
                                         evidence.size() / 2, devices.first, devices.second)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule mixed_devices_entry;
const ContradictionRule mixed_devices_entry{
    "mixed_devices", "the points of a curve ran on different devices", &find_mixed_devices};

// Rule: a measured bandwidth is close to the bandwidth of the link. A measured bandwidth that is an
// eighth of the link bandwidth was probably stated in bits instead of bytes.

namespace {

constexpr double kBitsInByte = 8;
/// Limits of the fraction of the link bandwidth that large messages reach.
constexpr double kLeastReached = 0.75, kMostReached = 1.02;

std::vector<Finding> find_bits_and_bytes(const Publication& publication) {
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
          fmt::format("As bits, the measured bandwidth is {:.0f} % of the link bandwidth, "
                      "and as bytes it is {:.0f} %. The correct value is therefore {} {}.",
                      100 * reached / kBitsInByte, 100 * reached, value.text, unit)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule bits_and_bytes_entry;
const ContradictionRule bits_and_bytes_entry{
    "bits_and_bytes",
    "a measured bandwidth is stated in bits, but its number only fits the link if it means bytes",
    &find_bits_and_bytes};

}  // namespace dlscale::analysis
