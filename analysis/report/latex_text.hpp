// SPDX-License-Identifier: Apache-2.0
// Escapes texts for LaTeX and lists the packages that the written LaTeX files need.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Returns the text with all LaTeX commands escaped. Line breaks, tabs and control characters
/// become spaces.
std::string latex_text(std::string_view text);

/// Returns the packages that a document with the tables needs, one per line, for pdfLaTeX, LuaLaTeX
/// and XeLaTeX.
std::string latex_table_packages();
/// Returns the packages that a document with the figures needs.
std::string latex_figure_packages();
/// Returns the packages for fonts and letters. A letter that pdfLaTeX does not have becomes a
/// framed question mark.
std::string latex_font_packages();

}  // namespace dlscale::analysis
