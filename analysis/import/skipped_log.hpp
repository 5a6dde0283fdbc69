// SPDX-License-Identifier: Apache-2.0
// Describes the logs that an import skips, and formats the messages about these logs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/skip_tally.hpp"

namespace dlscale::analysis {

/// Log or run within a log that was not imported, and the reason.
struct SkippedLog {
  std::string shown;        ///< path as in ForeignLog, with the first line for a run within a log
  std::string why;          ///< reason, with an option that solves the problem, if any
  bool is_failure = false;  ///< true if the log should have been imported
  std::string noun = "file";
};

/// Reason for skipping a file that no format recognises.
extern const char* const kUnrecognised;

/// Returns true if the import should have imported any of the skipped entries.
bool has_failure(const std::vector<SkippedLog>& skipped);

/// Returns the skipped entries grouped by reason.
base::SkipTally tally_of(const std::vector<SkippedLog>& skipped);

/// Returns the skipped entries as lines that follow an error message, or an empty text if nothing
/// was skipped.
std::string lines_behind_error(const std::vector<SkippedLog>& skipped);

/// Returns the error message of an import that skipped all of its `files` files.
std::string why_nothing_is_imported(const std::vector<SkippedLog>& skipped, std::size_t files);

}  // namespace dlscale::analysis
