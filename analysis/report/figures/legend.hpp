// SPDX-License-Identifier: Apache-2.0
// Defines the colours, marks and labels of the series of a figure.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// Colours and marks of series. They are the same in all file formats, and they distinguish series
// also for colour-blind readers and in print without colours.

/// Colour palette by Okabe and Ito. Its black is replaced by grey, because the ideal line is black.
/// The last colour, yellow, is too pale for lines on white, so only bars use it.
inline constexpr std::array<const char*, 8> kColors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                    "#E69F00", "#56B4E9", "#666666", "#F0E442"};
inline constexpr std::size_t kLineColors = 7;

/// Number of mark shapes: circle, square, triangle, diamond and inverted triangle. Each shape gives
/// two marks, a filled one and a hollow one.
inline constexpr std::size_t kMarkShapes = 5;
inline constexpr std::size_t kMarks = 2 * kMarkShapes;

/// Largest distance by which a series is shifted along x. Series are shifted so that their marks
/// and error bars do not hide each other. The unit is an octave (a factor of two) on a logarithmic
/// axis and a unit of the axis on a linear axis.
inline constexpr double kDodge = 0.03;
/// Largest distance by which a series is shifted on an axis of words. Two words are 1 apart.
inline constexpr double kWordDodge = 0.2;

/// Returns the distance by which series `i` of `n` series is shifted along x, in the unit of
/// kDodge.
inline constexpr double dodge(std::size_t i, std::size_t n) {
  if (n < 2) return 0;
  return kDodge * (2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1);
}

// Labels, colours and marks of the series of a figure.

/// Legend of a figure. The label of a series contains only the axes in which the keys of the figure
/// differ and have values. The first of these axes determines the colour of a series, and the other
/// axes determine its mark. If the keys differ in only one axis, it determines both colour and
/// mark.
class Legend {
 public:
  /// Creates the legend for series with these keys. `worker` is the word for one worker: "GPU" or
  /// "rank".
  Legend(const std::vector<CurveKey>& keys, const std::string& worker);
  /// Returns the titles of the axes in which the keys differ, separated by commas.
  const std::string& title() const { return title_; }
  /// Returns a series without points, with the label, colour and mark for `key`. Colours and marks
  /// are assigned in the order of the calls.
  Series series(const CurveKey& key);

 private:
  std::vector<std::string> axes_;
  std::string title_;
  std::string unnamed_;  ///< label of a series without values of these axes, such as "no weights"
  std::map<std::string, std::size_t> colors_;
  std::map<std::string, std::size_t> marks_;
};

}  // namespace dlscale::analysis
