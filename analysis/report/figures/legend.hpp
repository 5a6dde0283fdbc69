// SPDX-License-Identifier: Apache-2.0
// How the series of a figure are called and told apart: to colour-blind people, and in print
// without colours.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// What tells series apart in every format: to colour-blind people, and in print without colours.

/// Okabe and Ito's palette, with grey for its black (the ideal line's). The last one, yellow, is
/// too pale on white for lines: only bars have it.
inline constexpr std::array<const char*, 8> kColors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                    "#E69F00", "#56B4E9", "#666666", "#F0E442"};
inline constexpr std::size_t kLineColors = 7;

/// Circle, square, triangle, diamond, inverted triangle; then the same hollow.
inline constexpr std::size_t kMarkShapes = 5;
inline constexpr std::size_t kMarks = 2 * kMarkShapes;

/// How far series are moved sideways at most, so that neighbours' marks and bars do not hide each
/// other: octaves of a logarithmic axis, units of a linear one.
inline constexpr double kDodge = 0.03;

/// What series `i` of `n` is moved by, in these.
inline constexpr double dodge(std::size_t i, std::size_t n) {
  if (n < 2) return 0;
  return kDodge * (2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1);
}

// How the series of a figure are called and told apart.

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
