// SPDX-License-Identifier: Apache-2.0
// Logs that an import skips, and what the user is told of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/skip_tally.hpp"

namespace dlscale::analysis {

/// What is not imported, and why.
struct SkippedLog {
  std::string shown;        ///< as in ForeignLog; of one run of a log with the line it begins at
  std::string why;          ///< with the option that would help, if one does
  bool is_failure = false;  ///< it was to be imported, or would have been if it could be read
  std::string noun = "file";
};

/// Why a file is skipped that no format recognises.
extern const char* const kUnrecognised;

/// Whether something was skipped that was to be imported.
bool has_failure(const std::vector<SkippedLog>& skipped);

/// Returns what was skipped by reason.
base::SkipTally tally_of(const std::vector<SkippedLog>& skipped);

/// Returns what was skipped as lines that stand behind an error; empty where nothing was.
std::string lines_behind_error(const std::vector<SkippedLog>& skipped);

/// Returns the error of an import that skipped all of `files` files.
std::string why_nothing_is_imported(const std::vector<SkippedLog>& skipped, std::size_t files);

}  // namespace dlscale::analysis
