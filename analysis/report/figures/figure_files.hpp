// SPDX-License-Identifier: Apache-2.0
// Writes a figure as a CSV file with its numbers and as images.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Returns the CSV text of a figure: the title and the notes as comment lines, a header row, and
/// one row for each point with its series, x, y and the bounds of y. A figure with stacked bars has
/// one row for each bar.
std::string figure_csv(const Figure& figure);

/// Returns the supported file extensions of images: svg, pdf and png. dlscale draws SVG itself. An
/// external converter makes PDF and PNG from SVG.
const std::vector<std::string>& figure_formats();

/// Default program that converts SVG files to PDF and PNG.
inline constexpr const char* kConverter = "rsvg-convert";

/// Files that write_figure() wrote, and the problem if an image is missing.
struct Drawn {
  std::vector<std::filesystem::path> files;  ///< written files: the CSV file, then the images
  /// Reason why an image could not be made: the converter is not installed or failed. Empty if all
  /// images were made.
  std::string problem;
};

/// Writes <stem>.csv, then <stem>.<format> for each format. If an image cannot be made, an existing
/// file of that name stays unchanged, and the result contains the problem. The same figure always
/// gives identical bytes. Throws base::RunError if a file cannot be written.
Drawn write_figure(const Figure& figure, const std::filesystem::path& stem,
                   const std::vector<std::string>& formats,
                   const std::string& converter = kConverter);

}  // namespace dlscale::analysis
