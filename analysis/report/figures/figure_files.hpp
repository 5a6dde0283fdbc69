// SPDX-License-Identifier: Apache-2.0
// A figure as files: the numbers that it shows, and pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Title and notes as comments, a header, then a line per point (series, x, y and its bounds) or,
/// for stacked bars, a line per bar.
std::string figure_csv(const Figure& figure);

/// File endings of pictures: svg, which needs no program, and pdf and png, into which another
/// program converts it.
const std::vector<std::string>& figure_formats();

/// The program that converts pictures.
inline constexpr const char* kConverter = "rsvg-convert";

/// What write_figure did.
struct Drawn {
  std::vector<std::filesystem::path> files;  ///< written, in order: CSV, pictures
  /// Why pictures are missing (the converter is not installed or failed); empty when all are there.
  std::string problem;
};

/// Writes <stem>.csv, then <stem>.<format> for each format; a picture that cannot be converted
/// stays as it was. The same bytes for the same figure. Throws base::RunError when a file cannot be
/// written.
Drawn write_figure(const Figure& figure, const std::filesystem::path& stem,
                   const std::vector<std::string>& formats,
                   const std::string& converter = kConverter);

}  // namespace dlscale::analysis
