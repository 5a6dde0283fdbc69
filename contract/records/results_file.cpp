// SPDX-License-Identifier: Apache-2.0
// (parse_results() stands with the reader of a record.)
#include "contract/records/results_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlscale::contract {
namespace {

constexpr std::int64_t kMostSkippedLines = 100;  ///< that are named one by one

}  // namespace

void skip_line(ResultsFile& file, std::int64_t line, std::string_view why) {
  const std::string place = fmt::format("line {}", line);
  file.skipped_lines.add({"line", std::string(why), place, 1, base::general_reason(why)});
  if (file.skipped_lines.total() <= kMostSkippedLines) {
    file.skipped.push_back(fmt::format("{}: {}", place, why));
  }
}

std::vector<std::string> remarks_on(const ResultsFile& file) {
  const auto lines = std::min(file.skipped_lines.total(), kMostSkippedLines);
  const auto first = std::min(static_cast<std::size_t>(lines), file.skipped.size());
  return {file.skipped.begin() + static_cast<std::ptrdiff_t>(first), file.skipped.end()};
}

}  // namespace dlscale::contract
