// SPDX-License-Identifier: Apache-2.0
// Writes a figure for papers that LaTeX draws with the paper's own fonts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Returns a standalone document that another document may \input with the package standalone. It
/// reads no other file: each line contains its points, with the ends of error bars as differences.
/// The title and the notes are comments, because a paper has them in its caption. The same figure
/// gives the same bytes.
std::string pgfplots_figure(const Figure& figure);

/// Writes <stem>.csv as for other images and <stem>.tex, in this order. Throws base::UsageError for
/// a name that LaTeX cannot read. Throws base::RunError when a file cannot be written.
std::vector<std::filesystem::path> write_pgfplots(const Figure& figure,
                                                  const std::filesystem::path& stem);

}  // namespace dlscale::analysis
