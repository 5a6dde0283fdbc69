// SPDX-License-Identifier: Apache-2.0
// A figure for papers, drawn by LaTeX itself in the paper's own fonts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// A document of its own, which another one may \input with the package standalone. It reads no
/// other file: each line has its points, the ends of error bars as differences. Title and notes are
/// comments, for a paper has them in its caption. The same bytes for the same figure.
std::string pgfplots_figure(const Figure& figure);

/// Writes <stem>.csv as for other pictures and <stem>.tex, in this order. Throws base::UsageError
/// for a name that LaTeX would not read, base::RunError when a file cannot be written.
std::vector<std::filesystem::path> write_pgfplots(const Figure& figure,
                                                  const std::filesystem::path& stem);

}  // namespace dlscale::analysis
