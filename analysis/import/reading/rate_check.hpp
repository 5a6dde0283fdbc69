// SPDX-License-Identifier: Apache-2.0
// Compares the speeds, times and sample counts that a log prints about itself with the step windows
// that a reader made from its other lines.
// A reader that misunderstands its format (a line counts another number of samples, a first
// iteration is warm-up) produces rates that look plausible. Many logs print a total or a rate of
// their own, and such a mistake makes the two disagree. A run whose log disagrees with itself keeps
// its losses and accuracies and loses its rate.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

enum class PrintedQuantity {
  samples_per_s,  ///< of all ranks together
  /// Mean of rates of all ranks together: one rate for each window, each with the same weight. It
  /// is larger than samples/s of all windows together where their speeds differ.
  mean_samples_per_s,
  seconds,
  samples,  ///< of all ranks together
};

/// How the time that a printed figure covers compares with the time of the same step windows.
enum class PrintedSpan {
  same,    ///< the same steps and the same waiting: the two numbers must agree
  longer,  ///< more than the steps, for example evaluation or start-up: only a bound
  shorter  ///< less than the steps, for example without waiting for data: only a bound
};

/// A figure that a log prints about its own speed.
struct PrintedFigure {
  std::string name;  ///< as the log prints it, for example "Total img/sec on 4 GPU(s)"
  double value = 0;
  PrintedQuantity quantity = PrintedQuantity::samples_per_s;
  PrintedSpan span = PrintedSpan::same;
  /// Whether the windows that are marked as warm-up belong to the figure.
  bool has_warmup = false;
  /// Optimizer steps that the figure covers, counted from 0 over the whole log as
  /// CollectedLog::steps() counts them. Windows count that lie in the range as a whole.
  std::int64_t first_step = 0;
  std::int64_t end_step = -1;  ///< -1: the steps until CollectedLog::compare()
  /// Largest error of `value` that its printed digits allow, for example 1 for whole seconds.
  double resolution = 0;
  int line = 0;  ///< CollectedLog fills in the current one where it is 0
};

class RateCheck {
 public:
  void add(PrintedFigure figure) { figures_.push_back(std::move(figure)); }
  /// Removes the rate of the run for a reason other than a printed figure. The warning states the
  /// reason.
  void reject(std::string warning) { rejections_.push_back(std::move(warning)); }

  /// Removes times and samples from all records when a figure and the step windows contradict each
  /// other by more than 5 %, or a bound is exceeded by more than 5 %. One warning for each name
  /// states both numbers and the line. Figures without any window in their range are ignored.
  /// Does the same for each reason that reject() got.
  void conclude(contract::ResultsFile& file) const;

 private:
  std::vector<PrintedFigure> figures_;
  std::vector<std::string> rejections_;
};

}  // namespace dlscale::analysis
