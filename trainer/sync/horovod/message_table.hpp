// SPDX-License-Identifier: Apache-2.0
// The coordinator's table of which ranks are ready to reduce which tensor.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "trainer/sync/horovod/request.hpp"
#include "trainer/sync/horovod/response.hpp"

namespace dlscale::trainer::horovod {

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

}  // namespace dlscale::trainer::horovod
