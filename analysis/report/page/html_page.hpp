// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file: nothing is loaded from anywhere, and it works as a file.
#pragma once

#include <string>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

// The style sheet and the script of the HTML report.

/// Two themes: as the system has it, and as the reader switches it. Printed on white, all opened.
extern const char* const kPageStyle;

/// Sorts tables by their column heads and remembers the theme. Without it the page still shows all.
extern const char* const kPageScript;

/// The same bytes for the same page. Whatever titles, cells and labels hold is shown as text; a
/// policy in the page allows no script but its own.
std::string html_page(const StudyPage& page);

}  // namespace dlscale::analysis
