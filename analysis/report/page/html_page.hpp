// SPDX-License-Identifier: Apache-2.0
// Renders the report as one HTML file that loads no other files and works without a server.
#pragma once

#include <string>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

// Style sheet and script of the HTML report.

/// Style sheet with a light and a dark theme. The theme follows the system or the reader's choice.
/// Printed pages are white.
extern const char* const kPageStyle;

/// Script that sorts tables by their column heads and remembers the theme. The page shows all of
/// its content without the script.
extern const char* const kPageScript;

/// Returns the HTML file. The same page gives the same bytes. The contents of titles, cells and
/// labels are escaped and shown as text, and a policy in the page allows only the page's own
/// script.
std::string html_page(const StudyPage& page);

}  // namespace dlscale::analysis
