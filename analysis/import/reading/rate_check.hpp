// SPDX-License-Identifier: Apache-2.0
// Compares speeds, times and sample counts that a log prints with the step windows made from its
// other lines.
// A reader that misunderstands its format (for example the number of samples of a line, or a first
// iteration that is warm-up) produces rates that look plausible. Such a mistake contradicts the
// totals or rates that many logs print. A run whose log contradicts itself keeps its losses and
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
  /// Mean of the rates of all ranks together, with one rate for each window and equal weights. It
  /// is larger than the samples/s of all windows together if their speeds differ.
  mean_samples_per_s,
  seconds,
  samples,  ///< number of samples of all ranks together
};

/// Relation of the time that a printed figure covers to the time of the same step windows.
enum class PrintedSpan {
  same,    ///< same steps and same waiting: the two numbers must agree
  longer,  ///< more than the steps, for example evaluation or start-up: only a bound
  shorter  ///< less than the steps, for example without waiting for data: only a bound
};

/// Figure that a log prints about its own speed.
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
  std::int64_t end_step = -1;  ///< end of the range; -1: the steps so far
  /// Maximum error of `value` due to its printed digits, for example 1 for whole seconds.
  double resolution = 0;
  int line = 0;  ///< line number; 0: CollectedLog sets the current line
};

class RateCheck {
 public:
  void add(PrintedFigure figure) { figures_.push_back(std::move(figure)); }
  /// Removes the rate of the run for the reason in `warning`, which is not a printed figure.
  void reject(std::string warning) { rejections_.push_back(std::move(warning)); }

  /// Removes times and samples from all records if a figure and the step windows contradict each
  /// other by more than 5 %, if a bound is exceeded by more than 5 %, or if reject() was called.
  /// Adds one warning for each figure name with both numbers and the line, and one for each
  /// reject(). Ignores figures without any window in their range.
  void conclude(contract::ResultsFile& file) const;

 private:
  std::vector<PrintedFigure> figures_;
  std::vector<std::string> rejections_;
};

}  // namespace dlscale::analysis
