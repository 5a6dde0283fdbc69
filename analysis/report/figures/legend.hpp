// SPDX-License-Identifier: Apache-2.0
// How the series of a figure are called and told apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Only what differs between the keys is said; the first differing axis chooses the colour and the
/// others the mark.
class Legend {
 public:
  /// `worker`: what one of a run's GPUs is called.
  Legend(const std::vector<CurveKey>& keys, const std::string& worker);
  /// The axes that differ.
  const std::string& title() const { return title_; }
  /// A series without points. Keys must come in the order in which they are to be drawn.
  Series series(const CurveKey& key);

 private:
  std::vector<std::string> axes_;
  std::string title_;
  std::map<std::string, std::size_t> colors_;
  std::map<std::string, std::size_t> marks_;
};

}  // namespace dlscale::analysis
