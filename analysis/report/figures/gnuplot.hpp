// SPDX-License-Identifier: Apache-2.0
// Draws figures by starting gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// File endings that can be drawn: svg, pdf, png.
const std::vector<std::string>& figure_formats();

/// What write_figure did.
struct Drawn {
  std::vector<std::filesystem::path> files;  ///< written, in order: CSV, script, pictures
  /// Why there are no pictures (gnuplot is missing or failed); empty when there are.
  std::string problem;
};

/// Writes <stem>.csv and <stem>.gp, then <stem>.<format> for each format by running
/// `program`; when that fails the pictures of another time stay. Throws base::RunError when a file
/// cannot be written.
Drawn write_figure(const Figure& figure, const std::filesystem::path& stem,
                   const std::vector<std::string>& formats, const std::string& program = "gnuplot");

}  // namespace dlscale::analysis
