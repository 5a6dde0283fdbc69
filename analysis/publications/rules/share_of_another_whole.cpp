// SPDX-License-Identifier: Apache-2.0
// A share and its seconds tell what they are a share of.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

const std::string kShare = "_share", kTime = "_time";

/// Seconds that so many epochs take at least on so many GPUs, by a stated runtime of fewer GPUs and
/// perfect scaling; the statement it follows from.
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

std::vector<Finding> find(const Publication& publication) {
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
          fmt::format("The share and its seconds make a whole of {:.0f} s, but by the stated "
                      "runtime even perfect scaling needs {:.0f} s: the share is of something "
                      "else than wall time, such as summed kernel time.",
                      whole.value, least)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule share_of_another_whole_entry;
const ContradictionRule share_of_another_whole_entry{
    "share_of_another_whole", "a share and its seconds imply a whole shorter than the run can be",
    &find};

}  // namespace dlscale::analysis
