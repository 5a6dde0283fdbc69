// SPDX-License-Identifier: Apache-2.0
// Turns the files of a plan folder into tables and figures, for `collect` and `run`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "workspace/runs/selection.hpp"

namespace dlscale::analysis {
struct Frame;
}

namespace dlscale::workspace {

struct CollectOptions {
  std::filesystem::path plan_folder;
  bool rebuild = false;  ///< delete the database first
  bool tables = true;    ///< print the efficiency and accuracy tables, write tables/
  bool figures = false;  ///< write figures/
  SelectionChoice runs;  ///< runs in the tables and figures. The database has all runs
};

/// Ingests results, and prints warnings, tables and the paths of written files to `out`. Returns
/// kExitOk, kExitRunsFailed if runs failed, or kExitNothingMatched if no run has started. Throws
/// base::Error, also if the selection matches no run.
int collect_and_report(const CollectOptions& options, std::ostream& out);

/// Prints the first warnings. Of the others it prints one per kind, and their number.
void print_warnings(const std::vector<std::string>& warnings, std::ostream& out);

/// Returns the files that collect writes into tables/ for these results, in order.
std::vector<std::string> collected_tables(const analysis::Frame& frame);

}  // namespace dlscale::workspace
