// SPDX-License-Identifier: Apache-2.0
// Renders a report as one HTML file. The file loads no other files and works without a web server.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

// Style sheet and script of the HTML report.

/// Style sheet with a light and a dark theme. The page uses the theme that the reader chose, or
/// else the theme of the operating system. Printed pages are white.
extern const char* const kPageStyle;

/// Script that sorts and filters tables, shows the values of figures beside the pointer, hides and
/// shows curves, and remembers the chosen theme. Without the script the page still shows all of its
/// content.
extern const char* const kPageScript;

/// Returns the content of the HTML file. The same page always gives identical bytes. Titles, cells
/// and labels are escaped, so that any markup in them is shown as text. A Content-Security-Policy
/// in the page allows only the page's own script.
std::string html_page(const StudyPage& page);

/// Returns the beginning of a page with this title, the style sheet and the script, up to <body>.
std::string html_head(const std::string& title);

}  // namespace dlscale::analysis
