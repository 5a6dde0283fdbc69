// SPDX-License-Identifier: Apache-2.0
// Provides the numbers of a report to the text of a paper: \dlsval{study}{table/row/column}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

struct LatexValue {
  std::string key;   ///< key of letters, digits, hyphens, dots and slashes
  std::string text;  ///< number as its table shows it
};

/// Returns each number of each table under a key such as `efficiency/ddp/gpus-4/speedup`. Bounds
/// have the keys `…/efficiency-low` and `…-high`. A row is named by its cells up to the GPU count.
/// In a table without a GPU count, a row is named by the text cells at its start. Rows with the
/// same name are numbered from the second row on.
std::vector<LatexValue> latex_values(const Report& report, std::size_t most = SIZE_MAX);

/// Returns the name of a study in \dlsval.
std::string latex_study(const std::string& title);

/// Returns a file that defines \dlsval for these numbers and works next to the files of other
/// studies. The macro expands to the number alone, also within \num. An unknown name is a LaTeX
/// error.
std::string latex_values_file(const StudyPage& page);

}  // namespace dlscale::analysis
