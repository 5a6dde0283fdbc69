// SPDX-License-Identifier: Apache-2.0
// The coordinator's table of which ranks are ready to reduce which tensor, and what it says of
// those that wait.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

// The coordinator's table of which ranks are ready to reduce which tensor.

/// A tensor that some ranks have submitted and others have not.
struct StalledTensor {
  std::string name;
  double waited_s = 0;
  std::vector<int> missing_ranks;
};

class MessageTable {
 public:
  explicit MessageTable(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  /// Once for each rank and tensor.
  void add(int rank, const Request& request, double now_s);
  /// The tensors all ranks are ready for, each in a response of its own, in the order in which the
  /// last rank became so; they leave the table. Where ranks differ in type or shape the response
  /// is an error that names the tensor and two ranks.
  std::vector<Response> take_ready();
  /// Those that wait for `at_least_s` and longer, by name.
  std::vector<StalledTensor> stalled(double at_least_s, double now_s) const;

 private:
  struct Row {
    std::vector<Request> requests;  ///< of each rank
    std::vector<bool> ready;
    std::size_t ready_ranks = 0;
    double since_s = 0;
  };
  static Response response_of(const Row& row);

  std::size_t ranks_;
  std::unordered_map<std::string, Row> rows_;
  std::vector<std::string> complete_;
};

// When to tell the user that some ranks wait for others, and in which words.

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
