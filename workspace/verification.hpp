// SPDX-License-Identifier: Apache-2.0
// Recomputes tables and reports from the records, and compares them with the existing files.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

struct VerifyChoice {
  StudyChoice study;
  std::vector<std::string> by;
  std::string report;  ///< folder of `dlscale report`; empty: the tables of `collect`
};

struct Verified {
  const char* what = "tables";
  const char* other_than = "tables of a metric";
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t different = 0;
  std::size_t pictures = 0;  ///< images, which are not compared
  /// files that should exist according to the records but are missing
  std::vector<std::string> missing;
  std::vector<std::string> others;  ///< files that dlscale does not write
};

/// Compares the tables of `collect`, and prints different lines to `out`. Throws base::Error with
/// kExitNothingMatched if there are no tables.
Verified verify_collected(const VerifyChoice& choice, std::ostream& out);

/// Compares all files of `report` except images: tables, data and scripts of figures, values.tex,
/// paper.tex and the page. Prints and throws what verify_collected does.
Verified verify_report(const VerifyChoice& choice, std::ostream& out);

}  // namespace dlscale::workspace
