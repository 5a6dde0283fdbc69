// SPDX-License-Identifier: Apache-2.0
// Writes the LaTeX macro \dlsval, with which the text of a paper can use numbers of a report:
// \dlsval{study}{table/row/column}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

struct LatexValue {
  std::string key;   ///< key of letters, digits, hyphens, dots and slashes
  std::string text;  ///< number, rounded as in its table
};

/// Returns the numbers of all tables, at most `most` of them. The key of a number consists of the
/// table, the row and the column: `efficiency/ddp/gpus-4/speedup`. Bounds have two keys, which end
/// in `-low` and `-high`. The name of a row consists of its cells up to the GPU count. In a table
/// without a GPU count, the name consists of the text cells at the start of the row. If several
/// rows have the same name, a number is appended from the second row on.
std::vector<LatexValue> latex_values(const Report& report, std::size_t most = SIZE_MAX);

/// Returns the name of a study as \dlsval expects it: its title with only letters, digits, dots and
/// hyphens.
std::string latex_study(const std::string& title);

/// Returns the content of a LaTeX file that defines \dlsval for the numbers of this report. A paper
/// can input such files of several studies. The macro expands to nothing but the number, so that it
/// also works within \num. An unknown key is a LaTeX error.
std::string latex_values_file(const StudyPage& page);

}  // namespace dlscale::analysis
