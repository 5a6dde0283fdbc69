// SPDX-License-Identifier: Apache-2.0
// Declares the work of `dlscale report`, which `dlscale demo` also does.
#pragma once

#include <string>
#include <vector>

#include "workspace/chosen_study.hpp"

namespace dlscale::cli {

struct ReportOptions {
  workspace::StudyChoice study;
  std::vector<std::string> by;  ///< axes for the rows of a table
  std::string output;           ///< folder of the report; empty for DIR/report
};

/// Writes the tables and figures of a collected study, and prints the paths. Returns the exit code
/// of the program. Throws base::Error if the study cannot be read or the report cannot be written.
int write_report(const ReportOptions& options);

}  // namespace dlscale::cli
