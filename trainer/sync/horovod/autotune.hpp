// SPDX-License-Identifier: Apache-2.0
// Fusion threshold and cycle time, tried out while training goes on.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/coordinate_search.hpp"
#include "trainer/sync/horovod/response.hpp"

namespace dlscale::trainer::horovod {

struct Tuned {
  double fusion_threshold_mb = 128;
  double cycle_time_ms = 1;
};

/// Scores a setting by bytes reduced a second, as Horovod does: the median of 5 scores over 10
/// steps each, after 3 that are thrown away. Horovod models the scores as a Gaussian process; here
/// a CoordinateSearch picks the next setting, which takes about as many.
class Autotune {
 public:
  Autotune(const Tuned& start, const base::Clock& clock);

  /// What a cycle has reduced; equal on all ranks. Returns true when a score is complete on all
  /// ranks, which then call agree().
  bool record(const std::vector<Response>& responses);
  /// **Collective.** Rank 0's scores lead to the next setting, which is everyone's.
  Tuned agree(Communicator& communicator);
  /// The setting stays.
  bool done() const { return done_; }

 private:
  Tuned next(double score);

  const base::Clock& clock_;
  CoordinateSearch search_;
  std::unordered_map<std::string, int> reductions_;  ///< of each tensor since start_s_
  double start_s_;
  std::int64_t bytes_ = 0;
  int discards_;
  std::vector<double> scores_;
  bool done_ = false;
};

}  // namespace dlscale::trainer::horovod
