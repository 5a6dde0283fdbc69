// SPDX-License-Identifier: Apache-2.0
// How texts stand in LaTeX, and which packages what is written here needs.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Nothing in it is acted upon. Line breaks, tabs and control characters become spaces.
std::string latex_text(std::string_view text);

/// What a document needs for the tables, each a line; for pdfLaTeX, LuaLaTeX and XeLaTeX.
std::string latex_table_packages();
/// What it needs for the figures.
std::string latex_figure_packages();
/// Fonts and letters; what pdfLaTeX has no letter for becomes a framed question mark.
std::string latex_font_packages();

}  // namespace dlscale::analysis
