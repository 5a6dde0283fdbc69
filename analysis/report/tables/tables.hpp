// SPDX-License-Identifier: Apache-2.0
// Declares the functions that build the tables of a study, with columns and notes.
#pragma once

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/knee.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// Options of tables and figures that compare runs.
struct AnalysisOptions {
  contract::BaselineRule baseline;
  /// True if runs on different devices, CPU models, … are compared, with a warning.
  bool allow_mixed = false;
  bool laws = false;  ///< true if figures of speed-up and efficiency also show fitted scaling laws
  /// Smallest parallel efficiency at which a number of GPUs counts as worthwhile.
  double min_efficiency = kWorthwhileEfficiency;
  /// Largest GPU count of new runs on the machine of a local site. 0: no limit.
  int most_gpus = 0;
};

/// Returns the throughput, step time, speed-up and efficiency of each point of each curve. If a
/// curve has no baseline, its points have empty cells for speed-up and efficiency, and a note gives
/// the reason.
Table efficiency_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the speed-up, ideal speed-up and Karp-Flatt serial fraction of each point, for the
/// curves that have a baseline.
Table speedup_table(const Frame& frame, const AnalysisOptions& options);
Table throughput_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the throughput of each point by three definitions: from the mean, the olympic mean and
/// the median of the repeats' times. Also lists the repeats that are outliers.
Table definitions_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the time of each part of a step (forward, backward, …) as a share of the step time.
Table breakdown_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the final and the best test accuracy by global batch.
Table accuracy_table(const Frame& frame, const AnalysisOptions& options);
/// Returns loss, accuracy and time of training and test by point and epoch.
Table epochs_table(const Frame& frame, const AnalysisOptions& options);
/// Returns loss, accuracy and time of each rank in the last epoch, and their means over the ranks.
Table ranks_table(const Frame& frame, const AnalysisOptions& options);
/// Returns loss, accuracy and time of each rank in each epoch, and their means over the ranks.
Table rank_epochs_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the shares of communication, I/O and computation in the kernel time of profiled steps.
Table kernel_shares_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the counters that the step windows recorded, per step and per epoch.
Table counters_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the further quantities that the programs of the runs measured, such as the model FLOP
/// utilisation, with a column for each quantity.
Table measured_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the results of the last evaluation: loss, top-5 accuracy, perplexity, BLEU, …
Table evaluation_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the gap between the results on the training set and on the test set, for loss and
/// accuracy.
Table generalisation_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the training time until a target such as an accuracy was reached, for the runs that
/// reached the target.
Table time_to_target_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the latency and throughput of inference, that is, of forward passes without training.
Table inference_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the amount of data that training sends in an epoch, computed by two formulas and
/// counted.
Table transfer_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the times and bandwidths of collectives by message size.
Table collectives_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the waiting time of jobs, and the share of the requested time and memory that the jobs
/// used. The data come from batch-system accounting.
Table jobs_table(const Frame& frame, const AnalysisOptions& options);

/// Returns the pairwise comparison of configurations: which one is faster, with the result of
/// statistical tests on the repeats.
Table verdicts_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the slowdown of each node relative to the other nodes of the same launches.
Table node_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the GPU-hours that the runs used, the samples per GPU-hour, and the energy if it was
/// recorded.
Table cost_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the scaling laws that were fitted to the step times of each curve, and the step times
/// that these laws predict for more GPUs.
Table fit_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the largest GPU count of each curve up to which efficiency and accuracy are sufficient.
Table knee_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the predicted and the measured values of each point that has a saved prediction.
Table predictions_table(const Frame& frame, const AnalysisOptions& options);
/// Returns a summary of the errors of saved predictions, with one row for each predicted quantity.
Table prediction_errors_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the fastest configuration for each budget of GPUs, and the configurations that the
/// repeats cannot distinguish from the fastest.
Table recommend_table(const Frame& frame, const AnalysisOptions& options);

}  // namespace dlscale::analysis
