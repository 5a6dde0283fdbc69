// SPDX-License-Identifier: Apache-2.0
// Converts the files of a plan folder to tables and figures, for `dlscale collect` and `dlscale
// run`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/knee.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::analysis {
struct Frame;
}

namespace dlscale::workspace {

struct CollectOptions {
  std::filesystem::path plan_folder;
  bool rebuild = false;  ///< true to delete the database first
  bool tables = true;    ///< true to print the most important tables and to write tables/
  bool figures = false;  ///< true to write figures/
  SelectionChoice runs;  ///< runs in the tables and figures; the database always has all runs
  /// Smallest parallel efficiency at which a number of GPUs counts as worthwhile.
  double min_efficiency = analysis::kWorthwhileEfficiency;
};

/// Reads new results into the database. Prints the answers to the questions of the study, warnings,
/// tables and the paths of written files to `out`. Returns:
/// - kExitRunsFailed if runs failed
/// - kExitNothingMatched if no run has started, or if runs completed but the log format that the
///   study names read no record of these runs. The records are not checked if neither tables nor
///   figures are requested.
/// - kExitOk otherwise
///
/// Throws base::Error for errors and if the selection matches no run.
int collect_and_report(const CollectOptions& options, std::ostream& out);

/// Prints the first warnings, at least one of each kind, and the number of warnings that are not
/// printed. If several warnings "FILE: line N: TEXT" have the same text, prints only the first one,
/// with the number of the others.
void print_warnings(const std::vector<std::string>& warnings, std::ostream& out);

/// Returns the names of the files that `dlscale collect` writes into tables/ for these results, in
/// order.
std::vector<std::string> collected_tables(const analysis::Frame& frame);

}  // namespace dlscale::workspace
