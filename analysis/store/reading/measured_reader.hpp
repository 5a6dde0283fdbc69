// SPDX-License-Identifier: Apache-2.0
// Reads the further quantities that the program of a run measured, such as its model FLOP
// utilisation, and computes their means over the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "analysis/frame.hpp"
#include "analysis/store/launch_link.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Reader of the measured quantities of a run. Call begin(), then add() for each launch that
/// contributes to the result of the run, earliest first, and then means().
class MeasuredReader {
 public:
  explicit MeasuredReader(SQLite::Database& database);
  ~MeasuredReader();
  MeasuredReader(const MeasuredReader&) = delete;
  MeasuredReader& operator=(const MeasuredReader&) = delete;

  void begin(const std::string& run_id);
  /// Adds the values of a launch. Without `steady_step`, all step windows count. With
  /// `steady_step`, only the windows count that are known to end at or before `link.until`, and the
  /// windows that begin before `steady_step` count as warm-up in addition to the windows that the
  /// trainer marked. StepReader selects the windows of its times by the same rule.
  void add(const LaunchLink& link, std::optional<std::int64_t> steady_step);
  /// Returns the means over the warm-up windows if `of_warmup` is true, else over the other
  /// windows. Each window is weighted by its time, because most of these quantities are rates. If
  /// the time of a window is unknown, all windows are weighted by their steps. For a quantity that
  /// only epochs state, the mean leaves out the first epoch, unless only one epoch has a value.
  std::map<MeasuredColumn, double> means(bool of_warmup) const;

 private:
  struct Prepared;
  struct Sums;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
