// SPDX-License-Identifier: Apache-2.0
// Rules: shares add up to at most 100 %, and a share and its time imply a total time that is
// possible.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {

// Rule: parts of a whole are at most the whole.

namespace {

/// Returns true if a percentage is a share of a whole. Efficiencies, accuracies and similar
/// percentages each refer to a whole of their own, so their sum in a row may exceed 100 %.
bool is_share(const std::string& quantity) {
  constexpr std::array<std::string_view, 12> kOthers{
      "efficiency", "accuracy", "utili", "occupancy", "mfu",     "hfu",
      "speedup",    "top1",     "top5",  "error",     "overlap", "variation"};
  return std::none_of(kOthers.begin(), kOthers.end(), [&](std::string_view word) {
    return comparable(quantity).find(word) != std::string::npos;
  });
}

std::vector<Finding> find_shares_above_100(const Publication& publication) {
  std::map<std::pair<std::string, int>, Evidence> rows;
  for (const Published& value : publication.values) {
    if (value.unit == "%" && value.number && value.relation == "=" && is_share(value.quantity)) {
      rows[{value.place.file, value.place.line}].push_back(&value);
    }
  }
  std::vector<Finding> found;
  for (const auto& [place, row] : rows) {
    double least = 0, sum = 0;
    for (const Published* value : row) {
      least += value->number->low;
      sum += value->number->value;
    }
    if (row.size() < 2 || least <= 1) continue;
    found.push_back(finding_of(
        row,
        fmt::format("The shares add up to {:.2f} %, which is more than the whole.", 100 * sum)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule shares_above_100_entry;
const ContradictionRule shares_above_100_entry{
    "shares_above_100", "the shares of a row add up to more than 100 %", &find_shares_above_100};

// Rule: a share and its time in seconds imply a total that is long enough for the run.

namespace {

const std::string kShare = "_share", kTime = "_time";

/// Returns the shortest possible time in seconds for the epochs and GPUs of `share`, and the stated
/// runtime from which it follows. The runtime was stated for the same GPU count or a smaller one.
/// Perfect scaling to the GPUs of `share` is assumed.
std::pair<double, const Published*> least_time(const Publication& publication,
                                               const Published& share) {
  const auto gpus = AxisCell(share.axis("gpus")).number();
  const auto epochs = AxisCell(share.axis("epochs")).number();
  std::pair<double, const Published*> least{0, nullptr};
  for (const Published& runtime : publication.values) {
    const auto from = AxisCell(runtime.axis("gpus")).number();
    const auto all = AxisCell(runtime.axis("epochs")).number();
    if (runtime.quantity != "runtime" || !runtime.is_value() || !gpus || !epochs || !from || !all ||
        *from > *gpus || runtime.axis("model") != share.axis("model")) {
      continue;
    }
    const double seconds = allowed(runtime).low * *epochs / *all * *from / *gpus;
    if (seconds > least.first) least = {seconds, &runtime};
  }
  return least;
}

std::vector<Finding> find_share_of_another_whole(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& share : publication.values) {
    if (!share.quantity.ends_with(kShare) || !share.is_value()) continue;
    const std::string part = share.quantity.substr(0, share.quantity.size() - kShare.size());
    for (const Published& time : publication.values) {
      if (time.quantity != part + kTime || time.axes != share.axes || !time.is_value()) continue;
      const Printed whole = ratio(allowed(time), allowed(share));
      const auto [least, runtime] = least_time(publication, share);
      if (runtime == nullptr || whole.high >= least) continue;
      found.push_back(finding_of(
          {&share, &time, runtime},
          fmt::format("Time and share of this part imply a total of {:.0f} s. The stated "
                      "runtime implies at least {:.0f} s, even with perfect scaling. The share "
                      "is therefore not a share of wall time, but of another sum, such as "
                      "kernel time.",
                      whole.value, least)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule share_of_another_whole_entry;
const ContradictionRule share_of_another_whole_entry{
    "share_of_another_whole", "a share and its time imply a total shorter than the run can be",
    &find_share_of_another_whole};

}  // namespace dlscale::analysis
