// SPDX-License-Identifier: Apache-2.0
// What tells series apart in every format: to colour-blind people, and in print without colours.
#pragma once

#include <array>
#include <cstddef>

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
