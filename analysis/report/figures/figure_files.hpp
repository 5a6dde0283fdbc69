// SPDX-License-Identifier: Apache-2.0
// Writes figures as CSV files and images.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Title and notes as comments, a header, then a line per point (series, x, y and its bounds) or,
/// for stacked bars, a line per bar.
std::string figure_csv(const Figure& figure);

/// File endings of images. svg needs no other program; a converter makes pdf and png from it.
const std::vector<std::string>& figure_formats();

/// Program that converts SVG files.
inline constexpr const char* kConverter = "rsvg-convert";

/// Result of write_figure.
struct Drawn {
  std::vector<std::filesystem::path> files;  ///< written files: CSV, then images
  /// Reason for missing images (the converter is not installed or failed); else empty.
  std::string problem;
};

/// Writes <stem>.csv, then <stem>.<format> for each format; a picture that cannot be converted
/// stays as it was. The same bytes for the same figure. Throws base::RunError when a file cannot be
/// written.
Drawn write_figure(const Figure& figure, const std::filesystem::path& stem,
                   const std::vector<std::string>& formats,
                   const std::string& converter = kConverter);

}  // namespace dlscale::analysis
