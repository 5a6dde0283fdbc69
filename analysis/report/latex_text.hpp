// SPDX-License-Identifier: Apache-2.0
// Escapes texts for LaTeX and returns the lines that load the packages which the written LaTeX
// files need.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Returns the text with all characters escaped that have a meaning in LaTeX. Line breaks, tabs and
/// control characters become spaces.
std::string latex_text(std::string_view text);

/// Returns the \usepackage lines that a document with the tables needs. They work with pdfLaTeX,
/// LuaLaTeX and XeLaTeX.
std::string latex_table_packages();
/// Returns the \usepackage lines that a document with the figures needs.
std::string latex_figure_packages();
/// Returns the LaTeX lines that select the fonts. pdfLaTeX prints a framed question mark for a
/// letter that its fonts do not contain.
std::string latex_font_packages();

}  // namespace dlscale::analysis
