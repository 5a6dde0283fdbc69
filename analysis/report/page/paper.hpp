// SPDX-License-Identifier: Apache-2.0
// A LaTeX document that shows a study's tables and figures: to look at, and to take from.
#pragma once

#include <string>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

/// It reads values.tex, tables/<id>.tex and figures/<id>.tex beside it. For pdfLaTeX, LuaLaTeX and
/// XeLaTeX.
std::string paper(const StudyPage& page);

}  // namespace dlscale::analysis
