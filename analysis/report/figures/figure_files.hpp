// SPDX-License-Identifier: Apache-2.0
// Writes figures as CSV files and images.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Returns the title and the notes as comments, a header, and one line per point (series, x, y and
/// its bounds). For stacked bars, returns one line per bar.
std::string figure_csv(const Figure& figure);

/// Returns the file extensions of images. SVG needs no other program. A converter makes PDF and PNG
/// from SVG.
const std::vector<std::string>& figure_formats();

/// Program that converts SVG files.
inline constexpr const char* kConverter = "rsvg-convert";

/// Result of write_figure.
struct Drawn {
  std::vector<std::filesystem::path> files;  ///< written files: CSV, then images
  /// Reason for missing images: the converter is not installed or failed. Empty if no image is
  /// missing.
  std::string problem;
};

/// Writes <stem>.csv, then <stem>.<format> for each format. An image that cannot be converted stays
/// as it was. The same figure gives the same bytes. Throws base::RunError when a file cannot be
/// written.
Drawn write_figure(const Figure& figure, const std::filesystem::path& stem,
                   const std::vector<std::string>& formats,
                   const std::string& converter = kConverter);

}  // namespace dlscale::analysis
