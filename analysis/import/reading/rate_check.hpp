// SPDX-License-Identifier: Apache-2.0
// Compares the speeds, times and sample counts that a log prints with the step windows, which the
// reader makes from the other lines of the log.
// A reader that misunderstands the format (for example the number of samples that a line counts, or
// a first iteration that is warm-up) produces rates that look plausible. Such a mistake contradicts
// the totals or rates that many logs print. A run whose log contradicts itself keeps its losses and
// accuracies and loses its rate.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

enum class PrintedQuantity {
  samples_per_s,  ///< samples/s of all ranks together
  /// Mean of the rates of the windows, each for all ranks together, with equal weights. If the
  /// windows differ in speed, this mean is larger than the samples/s of all windows together.
  mean_samples_per_s,
  seconds,
  samples,  ///< number of samples of all ranks together
};

/// Relation between the time that a printed figure covers and the time of the step windows for the
/// same steps.
enum class PrintedSpan {
  same,    ///< same steps and same waiting: the figure must agree with the windows
  longer,  ///< more time, for example with evaluation or start-up: only a bound
  shorter  ///< less time, for example without waiting for data: only a bound
};

/// Figure that a log prints about the speed of the run.
struct PrintedFigure {
  std::string name;  ///< name as the log prints it, for example "Total img/sec on 4 GPU(s)"
  double value = 0;
  PrintedQuantity quantity = PrintedQuantity::samples_per_s;
  PrintedSpan span = PrintedSpan::same;
  /// True if the figure includes windows that are marked as warm-up.
  bool has_warmup = false;
  /// First optimizer step that the figure covers, counted from 0 over the whole log as in
  /// CollectedLog::steps(). Only windows completely within the range count.
  std::int64_t first_step = 0;
  std::int64_t end_step = -1;  ///< step after the last covered step; -1: all steps so far
  /// Maximum error of `value` due to its printed digits, for example 1 for whole seconds.
  double resolution = 0;
  int line = 0;  ///< line number; 0: CollectedLog sets the current line
};

class RateCheck {
 public:
  void add(PrintedFigure figure) { figures_.push_back(std::move(figure)); }
  /// Removes the rate of the run for the reason in `warning`, which is not a contradiction to a
  /// printed figure.
  void reject(std::string warning) { rejections_.push_back(std::move(warning)); }

  /// Removes times and samples from all records if a figure and the step windows contradict each
  /// other by more than 5 %, if a bound is exceeded by more than 5 %, or if reject() was called.
  /// Adds one warning for each name of a figure, with the two contradicting numbers and the line.
  /// Adds one warning for each call of reject(). Ignores figures without any window in their range.
  void conclude(contract::ResultsFile& file) const;

 private:
  std::vector<PrintedFigure> figures_;
  std::vector<std::string> rejections_;
};

}  // namespace dlscale::analysis
