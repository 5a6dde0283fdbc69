// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/file_problems.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kCount = "; lines skipped: ";  ///< text before the number of lines
constexpr std::string_view kLine = ": line ";             ///< text before the first line number

}  // namespace

std::string problems_in(const std::string& path, const contract::ResultsFile& file) {
  std::string problems;
  for (const base::Skip& skip : file.skipped_lines.reasons()) {
    problems += fmt::format("{}: {}: {}{}{}\n", path, skip.example, skip.why, kCount, skip.count);
  }
  for (const std::string& remark : contract::remarks_on(file)) {
    problems += fmt::format("{}: {}\n", path, remark);
  }
  return problems;
}

bool count_skipped_lines(const std::string& problem, base::SkipTally& tally) {
  const std::size_t count_at = problem.rfind(kCount);
  const std::size_t line_at = problem.find(kLine);
  if (count_at == problem.npos || line_at == problem.npos) return false;
  const std::size_t why_at = problem.find(": ", line_at + kLine.size());
  const auto count =
      base::number_of<std::int64_t>(std::string_view(problem).substr(count_at + kCount.size()));
  if (!count || why_at >= count_at) return false;
  const std::string why = problem.substr(why_at + 2, count_at - why_at - 2);
  tally.add({"line", why, problem.substr(0, why_at), *count, base::general_reason(why)});
  return true;
}

}  // namespace dlscale::analysis
