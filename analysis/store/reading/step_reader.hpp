// SPDX-License-Identifier: Apache-2.0
// Adds up the step windows of the launches that make up the result of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/store/launch_link.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Reader of the step totals of a run. It uses the sums that the database stores for each launch.
/// It adds up single windows only in two cases:
/// - The launch continued beyond the checkpoint from which the next launch resumed.
/// - The warm-up of the launch took longer than the trainer marked, and the whole warm-up is to be
///   left out.
class StepReader {
 public:
  StepReader(SQLite::Database& database, WarmUp warmup);
  ~StepReader();
  StepReader(const StepReader&) = delete;
  StepReader& operator=(const StepReader&) = delete;

  /// Fills `run.steps`, `run.counters`, `run.measured`, `run.warmup`, and the kept and lost time in
  /// `run.spent`. `chain` contains the launches that make up the result of the run, earliest first.
  void read(RunRow& run, const std::vector<LaunchLink>& chain);

 private:
  void read_counters(RunRow& run, const std::vector<LaunchLink>& chain, std::int64_t steps);

  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
