// SPDX-License-Identifier: Apache-2.0
// Computes tables and reports again from the records and compares them with the files there are.
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
  std::size_t pictures = 0;          ///< that were not looked at
  std::vector<std::string> missing;  ///< files that are made of the records and not there
  std::vector<std::string> others;   ///< files that nothing here makes
};

/// Compares the tables that `collect` wrote and prints to `out` which lines differ. Throws
/// base::Error with kExitNothingMatched where there are no tables.
Verified verify_collected(const VerifyChoice& choice, std::ostream& out);

/// Compares all that `report` wrote but the pictures: tables, the numbers and scripts of figures,
/// values.tex, paper.tex and the page. Prints and throws as verify_collected does.
Verified verify_report(const VerifyChoice& choice, std::ostream& out);

}  // namespace dlscale::workspace
