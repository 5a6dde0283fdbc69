// SPDX-License-Identifier: Apache-2.0
// What a log says of its training, in the form in which logs are compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/store/formats/log_format.hpp"

namespace dlscale::analysis {

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
