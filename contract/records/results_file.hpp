// SPDX-License-Identifier: Apache-2.0
// The records of a launch as they are read from a file, and what of the file is no record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/skip_tally.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::contract {

struct ResultsFile {
  std::vector<ResultRecord> records;
  std::vector<int> record_lines;  ///< line (from 1) of each record
  /// "line 7: …" for the first 100 lines that skip_line() counted, and then for other remarks.
  std::vector<std::string> skipped;
  base::SkipTally skipped_lines;  ///< all lines that skip_line() counted; an example is "line 7"
  bool truncated = false;         ///< the last line was incomplete (a killed writer)
};

/// Counts a line that is not read, with the reason.
void skip_line(ResultsFile& file, std::int64_t line, std::string_view why);

/// What `skipped` holds beside the lines that skip_line() counted.
std::vector<std::string> remarks_on(const ResultsFile& file);

/// Reads `results.jsonl` text. Never throws on content: unknown keys are kept in `extra`.
ResultsFile parse_results(std::string_view text);

}  // namespace dlscale::contract
