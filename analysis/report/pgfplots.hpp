// SPDX-License-Identifier: Apache-2.0
// A figure for papers, drawn by LaTeX itself in the paper's own fonts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figure.hpp"

namespace dlscale::analysis {

/// The numbers that the figure reads, for pgfplots takes no quoted texts: of lines (series, x, y,
/// minus, plus[, note]), series counting from 1 and 0 the ideal line; of stacked bars (bar, part1,
/// …).
std::string pgfplots_data(const Figure& figure);

/// A document of its own, which another one may \input with the package standalone. It reads
/// `data_file`; title and notes are comments, for a paper has them in its caption. The same bytes
/// for the same figure.
std::string pgfplots_figure(const Figure& figure, const std::string& data_file);

/// Writes <stem>.csv as for other pictures, <stem>.pgf.csv and <stem>.tex, in this order. Throws
/// base::UsageError for a name that LaTeX would not read, base::RunError when a file cannot be
/// written.
std::vector<std::filesystem::path> write_pgfplots(const Figure& figure,
                                                  const std::filesystem::path& stem);

}  // namespace dlscale::analysis
