// SPDX-License-Identifier: Apache-2.0
// Defines the colours and marks that distinguish the series of a figure, and their labels.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// Colours and marks that distinguish series in every format, also for colour-blind readers and in
// print without colours.

/// Palette by Okabe and Ito, with grey in place of its black, which is the colour of the ideal
/// line. The last colour, yellow, is too pale on white for lines, so only bars use it.
inline constexpr std::array<const char*, 8> kColors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                    "#E69F00", "#56B4E9", "#666666", "#F0E442"};
inline constexpr std::size_t kLineColors = 7;

/// Number of mark shapes: circle, square, triangle, diamond and inverted triangle. Each shape is
/// drawn filled and hollow.
inline constexpr std::size_t kMarkShapes = 5;
inline constexpr std::size_t kMarks = 2 * kMarkShapes;

/// Largest shift of a series along x that keeps marks and bars of neighbouring series from hiding
/// each other. The unit is octaves on a logarithmic axis and axis units on a linear one.
inline constexpr double kDodge = 0.03;

/// Returns the shift of series `i` of `n` in the unit of kDodge.
inline constexpr double dodge(std::size_t i, std::size_t n) {
  if (n < 2) return 0;
  return kDodge * (2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1);
}

// Labels, colours and marks of the series of a figure.

/// Legend of a figure. Labels contain only the axes in which the keys differ. The first of these
/// axes determines the colour, and the others determine the mark.
class Legend {
 public:
  /// Builds the legend of these keys. `worker` is the word for one of a run's GPUs.
  Legend(const std::vector<CurveKey>& keys, const std::string& worker);
  /// Returns the titles of the axes that differ.
  const std::string& title() const { return title_; }
  /// Returns a series without points. Keys must be passed in the order in which they are drawn.
  Series series(const CurveKey& key);

 private:
  std::vector<std::string> axes_;
  std::string title_;
  std::map<std::string, std::size_t> colors_;
  std::map<std::string, std::size_t> marks_;
};

}  // namespace dlscale::analysis
