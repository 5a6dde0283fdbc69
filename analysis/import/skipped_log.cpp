// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/skipped_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the lines of a tally without the final newline, because the error printer adds a
/// newline.
std::string lines_of(const base::SkipTally& tally) {
  std::string lines = base::describe_skipped(tally);
  lines.pop_back();
  return lines;
}

}  // namespace

const char* const kUnrecognised =
    "the format is not recognised; name the format with --format, or map the columns of a table "
    "with --map";

bool has_failure(const std::vector<SkippedLog>& skipped) {
  return std::any_of(skipped.begin(), skipped.end(),
                     [](const SkippedLog& log) { return log.is_failure; });
}

base::SkipTally tally_of(const std::vector<SkippedLog>& skipped) {
  base::SkipTally tally;
  for (const SkippedLog& log : skipped) {
    tally.add({log.noun, log.why, log.shown, 1, base::general_reason(log.why)});
  }
  return tally;
}

std::string lines_behind_error(const std::vector<SkippedLog>& skipped) {
  return skipped.empty() ? "" : "\n" + lines_of(tally_of(skipped));
}

std::string why_nothing_is_imported(const std::vector<SkippedLog>& skipped, std::size_t files) {
  const base::SkipTally tally = tally_of(skipped);
  const SkippedLog& first = skipped.front();
  if (tally.reasons().size() > 1) {
    return fmt::format("none of the {} files can be imported\n{}", files, lines_of(tally));
  }
  if (first.why != kUnrecognised) {
    return fmt::format("{}: {}{}", first.shown, first.why,
                       tally.total() == 1 ? "" : "; the same applies to all other files");
  }
  return fmt::format(
      "the format of {}{} is not recognised: name the format with --format (known: {}), or map "
      "the columns of a table with --map",
      first.shown, files == 1 ? "" : fmt::format(" and of the other files ({} in all)", files),
      fmt::join(base::names(log_formats()), ", "));
}

}  // namespace dlscale::analysis
