// SPDX-License-Identifier: Apache-2.0
// Wording the warning.
#include "trainer/sync/horovod/stall_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace dlscale::trainer::horovod {

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
  return fmt::format("horovod: some ranks wait for others for more than {:g} s to reduce{}",
                     after_s_, list);
}

}  // namespace dlscale::trainer::horovod
