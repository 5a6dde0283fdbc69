// SPDX-License-Identifier: Apache-2.0
// Extracts from a log the data by which logs of the same training are recognised.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

/// Part of a training that a log covers.
struct TrainedSpan {
  int first_epoch = -1, last_epoch = -1;          ///< epochs with steps or a loss; -1: none known
  std::int64_t steps_before = 0;                  ///< steps of the training before the log begins
  std::int64_t steps = 0;                         ///< number of steps in the log
  std::map<int, std::int64_t> epoch_begins = {};  ///< steps of the log before each epoch

  bool is_known() const { return first_epoch >= 0; }
  bool operator==(const TrainedSpan&) const = default;
};

TrainedSpan span_of(const LogContent& content);

/// Content of a log that distinguishes the training from other trainings.
struct TrainingTrace {
  struct Evaluation {
    int epoch = 0;
    double accuracy = 0, loss = 0;
  };
  std::vector<std::uint64_t> entries;  ///< hashes of the log's entries in their order
  int timed = 0;                       ///< number of entries with a measured time
  std::vector<Evaluation> evaluations;
};

TrainingTrace trace_of(const LogContent& content);

/// Returns the hash of the first entries of a trace, or an empty text if the trace is empty. Logs
/// of the same training have the same hash.
std::string opening_of(const TrainingTrace& trace);

/// Number of entries that opening_of hashes.
inline constexpr std::size_t kOpening = 3;

}  // namespace dlscale::analysis
