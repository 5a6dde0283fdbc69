// SPDX-License-Identifier: Apache-2.0
// A figure as gnuplot's language and the CSV file its script reads, and drawn by starting gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// A figure as gnuplot's language and the CSV file its script reads.

/// Title and notes as comments, a header, then a line per point (series, x, y and its bounds) or,
/// for stacked bars, a line per bar.
std::string figure_csv(const Figure& figure);

/// A script that reads `<stem>.csv` and writes `<stem>.<format>` for each format (svg, pdf, png),
/// all in the current directory. The same bytes for the same figure.
std::string gnuplot_script(const Figure& figure, const std::string& stem,
                           const std::vector<std::string>& formats);

// Draws figures by starting gnuplot.

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
