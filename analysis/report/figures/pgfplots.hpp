// SPDX-License-Identifier: Apache-2.0
// Writes a figure as LaTeX code for the package pgfplots. LaTeX draws the figure with the fonts of
// the paper.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Returns a LaTeX document that can be compiled alone. Another document can \input it with the
/// package standalone. The document reads no other file, because it contains the coordinates of all
/// points. The title and the notes are LaTeX comments, because in a paper they belong into the
/// caption. The same figure always gives identical bytes.
std::string pgfplots_figure(const Figure& figure);

/// Writes <stem>.csv (see figure_csv) and <stem>.tex, and returns their paths in this order. Throws
/// base::UsageError for a file name that LaTeX cannot read. Throws base::RunError if a file cannot
/// be written.
std::vector<std::filesystem::path> write_pgfplots(const Figure& figure,
                                                  const std::filesystem::path& stem);

}  // namespace dlscale::analysis
