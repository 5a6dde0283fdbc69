// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/ranks_of_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

namespace dlscale::analysis {

bool RanksOfLog::counts(const LogLine& line, std::string_view rest) {
  if (line.rank < 0) return true;
  if (!rank_) rank_ = choose(line, rest);
  if (line.rank == *rank_) return true;
  if (own_.are_of_each_rank && own_.are_of_each_rank(line.text)) return true;
  if (is_own(line)) {
    if (left_out_ == 0) first_left_out_ = line.number;
    ++left_out_;
  }
  return false;
}

int RanksOfLog::choose(LogLine first, std::string_view rest) const {
  int lowest = first.rank, lowest_own = INT_MAX;
  const auto see = [&](const LogLine& line) {
    if (line.rank < 0) return;
    lowest = std::min(lowest, line.rank);
    if (line.rank < lowest_own && is_own(line)) lowest_own = line.rank;
  };
  see(first);
  for (LogLines lines(rest); lowest_own > 0 && lines.next();) see(lines.line());
  return lowest_own == INT_MAX ? lowest : lowest_own;
}

std::string RanksOfLog::what_is_left_out() const {
  return fmt::format(
      "of several ranks that write such lines rank {} counts: {} of others {} left out",
      rank_.value_or(0), left_out_, left_out_ == 1 ? "is" : "are");
}

}  // namespace dlscale::analysis
