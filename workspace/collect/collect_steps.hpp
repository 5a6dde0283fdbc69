// SPDX-License-Identifier: Apache-2.0
// From the files of a plan folder to its tables and figures: what `collect` and `run` share.
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
  SelectionChoice runs;  ///< of the tables and figures; the database holds all
};

/// Ingests, prints to `out` what was found, the tables and the paths of what it wrote. Returns
/// kExitOk, kExitRunsFailed when runs ended badly, kExitNothingMatched when none was started yet.
/// Throws base::Error, also when the selection leaves no run.
int collect_and_report(const CollectOptions& options, std::ostream& out);

/// Prints the first warnings, and of the others one of each kind and how many more there are.
void print_warnings(const std::vector<std::string>& warnings, std::ostream& out);

/// The files that it writes into tables/ of such results, in the order in which it does.
std::vector<std::string> collected_tables(const analysis::Frame& frame);

}  // namespace dlscale::workspace
