// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file of results, as the lines that the database keeps for it.
#pragma once

#include <string>

#include "base/skip_tally.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

/// Returns a line for each reason for which lines of the file were skipped, with the first of them
/// and their number, and a line for each other remark. Each begins with `path`.
std::string problems_in(const std::string& path, const contract::ResultsFile& file);

/// Adds the skipped lines to `tally` if `problem` is one about skipped lines; false otherwise.
bool count_skipped_lines(const std::string& problem, base::SkipTally& tally);

}  // namespace dlscale::analysis
