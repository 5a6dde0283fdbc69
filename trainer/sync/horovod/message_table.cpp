// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/horovod/message_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace dlscale::trainer::horovod {

// The following functions of the table count the ranks that are ready to reduce each tensor.

void MessageTable::add(int rank, const Request& request, double now_s) {
  const auto [place, is_new] = rows_.try_emplace(request.name);
  Row& row = place->second;
  if (is_new) {
    row.requests.resize(ranks_);
    row.ready.resize(ranks_);
    row.since_s = now_s;
  }
  const auto index = static_cast<std::size_t>(rank);
  row.requests[index] = request;
  row.ready[index] = true;
  row.since_s = std::min(row.since_s, now_s - request.waited_s);
  if (++row.ready_ranks == ranks_) complete_.push_back(request.name);
}

std::vector<Response> MessageTable::take_ready() {
  std::vector<Response> responses;
  for (const std::string& name : std::exchange(complete_, {})) {
    responses.push_back(response_of(rows_.at(name)));
    rows_.erase(name);
  }
  return responses;
}

Response MessageTable::response_of(const Row& row) {
  const Request& first = row.requests.front();
  Response response{{first.name}, first.type, first.count(), ""};
  for (std::size_t rank = 1; rank < row.requests.size(); ++rank) {
    const Request& other = row.requests[rank];
    if (other.same_layout(first)) continue;
    response.error = fmt::format("horovod: ranks disagree on \"{}\": rank 0 has {}, rank {} has {}",
                                 first.name, first.layout(), rank, other.layout());
    response.count = 0;
    break;
  }
  return response;
}

std::vector<StalledTensor> MessageTable::stalled(double at_least_s, double now_s) const {
  std::vector<StalledTensor> list;
  for (const auto& [name, row] : rows_) {
    const double waited_s = now_s - row.since_s;
    if (waited_s < at_least_s) continue;
    StalledTensor tensor{name, waited_s, {}};
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (!row.ready[rank]) tensor.missing_ranks.push_back(static_cast<int>(rank));
    }
    list.push_back(std::move(tensor));
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return list;
}

// The following function of the stall check composes the warning.

std::optional<std::string> StallCheck::warning(const MessageTable& table, double now_s) {
  if (warned_s_ && now_s - *warned_s_ < after_s_) return std::nullopt;
  std::string list;
  for (const StalledTensor& tensor : table.stalled(after_s_, now_s)) {
    list += fmt::format("{} \"{}\" (missing: {} {})", list.empty() ? "" : ",", tensor.name,
                        base::word_for(tensor.missing_ranks.size(), "rank"),
                        fmt::join(tensor.missing_ranks, ", "));
  }
  if (list.empty()) return std::nullopt;
  warned_s_ = now_s;
  return fmt::format("horovod: some ranks have waited more than {:g} s for other ranks to reduce{}",
                     after_s_, list);
}

}  // namespace dlscale::trainer::horovod
