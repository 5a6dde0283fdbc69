// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/ranks_of_log.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace dlscale::analysis {

bool RanksOfLog::counts(const LogLine& line, std::string_view rest) {
  if (!line.has_process()) return true;
  if (!chosen_) chosen_ = choose(line, rest);
  if (line.rank == chosen_->rank && line.host == chosen_->host) return true;
  if (own_.are_of_each_rank && own_.are_of_each_rank(line.text)) return true;
  if (is_own(line)) {
    if (left_out_ == 0) first_left_out_ = line.number;
    ++left_out_;
  }
  return false;
}

RanksOfLog::Process RanksOfLog::choose(const LogLine& first, std::string_view rest) const {
  Process any{first.rank, std::string(first.host)};
  std::optional<Process> own;
  const auto see = [&](const LogLine& line) {
    if (!line.has_process()) return;
    if (line.rank < any.rank) any = {line.rank, std::string(line.host)};
    const bool is_lower = !own || line.rank < own->rank;
    if (is_lower && is_own(line)) own = Process{line.rank, std::string(line.host)};
  };
  see(first);
  for (LogLines lines(rest); !(own && own->rank <= 0) && lines.next();) see(lines.line());
  return own.value_or(any);
}

std::string RanksOfLog::what_is_left_out() const {
  const Process chosen = chosen_.value_or(Process());
  std::string name = chosen.rank < 0 ? "" : fmt::format("rank {}", chosen.rank);
  if (!chosen.host.empty()) {
    name += fmt::format("{}{}", name.empty() ? "host " : " on ", chosen.host);
  }
  return fmt::format(
      "several processes write lines of this format: {} is used, {} of other processes {} "
      "ignored",
      name, base::count_of(left_out_, "line"), base::word_for(left_out_, "is", "are"));
}

}  // namespace dlscale::analysis
