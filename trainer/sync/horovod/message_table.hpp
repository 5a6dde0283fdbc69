// SPDX-License-Identifier: Apache-2.0
// Table in which the coordinator records the ranks that are ready to reduce a tensor, and the
// warning about tensors for which some ranks wait.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

// Table in which the coordinator records the ranks that are ready to reduce a tensor.

/// Tensor that some ranks have submitted and other ranks have not submitted.
struct StalledTensor {
  std::string name;
  double waited_s = 0;
  std::vector<int> missing_ranks;
};

class MessageTable {
 public:
  explicit MessageTable(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  /// Records that a rank is ready to reduce a tensor. Must be called once for each rank and tensor.
  void add(int rank, const Request& request, double now_s);
  /// Removes and returns the tensors for which all ranks are ready, each in a separate response.
  /// The tensors are in the order in which their last rank became ready. If ranks differ in the
  /// type or shape of a tensor, the response for this tensor contains an error that names the
  /// tensor and two of these ranks.
  std::vector<Response> take_ready();
  /// Returns the tensors that have waited for `at_least_s` or longer, sorted by name.
  std::vector<StalledTensor> stalled(double at_least_s, double now_s) const;

 private:
  struct Row {
    std::vector<Request> requests;  ///< request of each rank
    std::vector<bool> ready;
    std::size_t ready_ranks = 0;
    double since_s = 0;
  };
  static Response response_of(const Row& row);

  std::size_t ranks_;
  std::unordered_map<std::string, Row> rows_;
  std::vector<std::string> complete_;
};

// Warning to the user about tensors that some ranks have submitted and other ranks have not
// submitted.

class StallCheck {
 public:
  explicit StallCheck(double after_s) : after_s_(after_s) {}
  /// Returns one line that lists the tensors that have waited for at least after_s() seconds, each
  /// with the ranks that have not submitted the tensor. Returns nothing if no tensor has waited
  /// that long, or if the last warning is less than after_s() seconds old.
  std::optional<std::string> warning(const MessageTable& table, double now_s);
  double after_s() const { return after_s_; }

 private:
  double after_s_;
  std::optional<double> warned_s_;
};

}  // namespace dlscale::trainer::horovod
