// SPDX-License-Identifier: Apache-2.0
// The numbers of a report for the text of a paper: \dlsval{study}{table/row/column}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

struct LatexValue {
  std::string key;   ///< letters, digits, hyphens, dots and slashes
  std::string text;  ///< the number as its table shows it
};

/// Each number of each table: `efficiency/ddp/gpus-4/speedup`, of bounds `…/efficiency-low` and
/// `…-high`. A row is named by its cells up to the count of GPUs, in tables without one by those of
/// the texts that they begin with; rows that are called alike are numbered from the second on.
std::vector<LatexValue> latex_values(const Report& report, std::size_t most = SIZE_MAX);

/// How a study is called in \dlsval.
std::string latex_study(const std::string& title);

/// A file that defines \dlsval for these numbers, beside those of other studies. The macro expands
/// to the number alone, also within \num; a name that it does not know is an error of LaTeX's.
std::string latex_values_file(const StudyPage& page);

}  // namespace dlscale::analysis
