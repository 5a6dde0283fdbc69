// SPDX-License-Identifier: Apache-2.0
// The style sheet and the script of the HTML report.
#pragma once

namespace dlscale::analysis {

/// Two themes: as the system has it, and as the reader switches it. Printed on white, all opened.
extern const char* const kPageStyle;

/// Sorts tables by their column heads and remembers the theme. Without it the page still shows all.
extern const char* const kPageScript;

}  // namespace dlscale::analysis
