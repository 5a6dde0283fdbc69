// SPDX-License-Identifier: Apache-2.0
// When to tell the user that some ranks wait for others, and in which words.
#pragma once

#include <optional>
#include <string>

#include "trainer/sync/horovod/message_table.hpp"

namespace dlscale::trainer::horovod {

class StallCheck {
 public:
  explicit StallCheck(double after_s) : after_s_(after_s) {}
  /// One line naming the tensors that wait for longer than the limit, each with the ranks that are
  /// missing; at most once in that time.
  std::optional<std::string> warning(const MessageTable& table, double now_s);
  double after_s() const { return after_s_; }

 private:
  double after_s_;
  std::optional<double> warned_s_;
};

}  // namespace dlscale::trainer::horovod
