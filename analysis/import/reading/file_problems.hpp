// SPDX-License-Identifier: Apache-2.0
// Formats the problems of a results file as the lines that the database stores.
#pragma once

#include <string>

#include "base/skip_tally.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

/// Returns the problems of the file, each in a line that begins with `path`. There is one line for
/// each reason for which lines of the file were skipped. It states the first of these skipped lines
/// and the number of these skipped lines. There is also one line for each other remark.
std::string problems_in(const std::string& path, const contract::ResultsFile& file);

/// Adds the lines counted in `problem` to `tally` and returns true if `problem` describes skipped
/// lines. Otherwise returns false.
bool count_skipped_lines(const std::string& problem, base::SkipTally& tally);

}  // namespace dlscale::analysis
