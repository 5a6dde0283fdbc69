// SPDX-License-Identifier: Apache-2.0
// What a log says of its training, in the form in which logs are compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

/// The part of a training that a log is about.
struct TrainedSpan {
  int first_epoch = -1, last_epoch = -1;          ///< with steps or a loss; -1: the log names none
  std::int64_t steps_before = 0;                  ///< steps of the training before the log begins
  std::int64_t steps = 0;                         ///< in the log
  std::map<int, std::int64_t> epoch_begins = {};  ///< steps of the log before each epoch

  bool is_known() const { return first_epoch >= 0; }
  bool operator==(const TrainedSpan&) const = default;
};

TrainedSpan span_of(const LogContent& content);

/// What a log says of its training, as far as it tells trainings apart.
struct TrainingTrace {
  struct Evaluation {
    int epoch = 0;
    double accuracy = 0, loss = 0;
  };
  std::vector<std::uint64_t> entries;  ///< hashes of what the log says, in its order
  int timed = 0;                       ///< entries with a measured time
  std::vector<Evaluation> evaluations;
};

TrainingTrace trace_of(const LogContent& content);

/// Hash of the first entries of a trace; empty where it has none. Logs of one training share it.
std::string opening_of(const TrainingTrace& trace);

/// Number of entries that opening_of looks at.
inline constexpr std::size_t kOpening = 3;

}  // namespace dlscale::analysis
