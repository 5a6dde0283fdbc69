// SPDX-License-Identifier: Apache-2.0
// Declares the tables of a study with their columns and notes.
#pragma once

#include "analysis/frame.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// Options of a comparison.
struct AnalysisOptions {
  contract::BaselineRule baseline;
  bool allow_mixed = false;  ///< true if devices, CPU models, … may differ; still flagged
  bool laws = false;         ///< true if scaling laws continue speed-up and efficiency figures
};

/// Returns throughput, step time, speed-up and efficiency of each point of each curve. Points
/// without a baseline keep their row. Their cells that need a baseline are empty, and a note gives
/// the reason.
Table efficiency_table(const Frame& frame, const AnalysisOptions& options);
/// Returns speed-up, ideal speed-up and Karp-Flatt's serial fraction for the curves with a
/// baseline.
Table speedup_table(const Frame& frame, const AnalysisOptions& options);
Table throughput_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the throughput of the same runs by the mean, the olympic mean and the median, with
/// outliers.
Table definitions_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the shares of the step's parts.
Table breakdown_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the test accuracy by global batch.
Table accuracy_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the results of the last evaluation: loss, top-5 accuracy, perplexity, BLEU, …
Table evaluation_table(const Frame& frame, const AnalysisOptions& options);
/// Returns how much worse the results on the test set are than those on the training set.
Table generalisation_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the training time to a target, for the runs that reached it.
Table time_to_target_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the latency and throughput of forward passes alone.
Table inference_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the data that an epoch sends.
Table transfer_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the times and bandwidths of collectives by message size.
Table collectives_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the waiting times of the jobs in batch-system accounting, and the used share of the
/// requested resources.
Table jobs_table(const Frame& frame, const AnalysisOptions& options);

/// Returns the faster configuration of each pair, with the statistical evidence from the repeats.
Table verdicts_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the nodes with their slowdown relative to the other nodes of the same launches.
Table node_table(const Frame& frame, const AnalysisOptions& options);
/// Returns GPU-hours, and samples per GPU-hour.
Table cost_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the scaling laws fitted to the step times of each curve, and their predictions for more
/// GPUs.
Table fit_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the GPU counts up to which efficiency and accuracy are sufficient.
Table knee_table(const Frame& frame, const AnalysisOptions& options);
/// Returns saved predictions next to the measurements, one row for each point.
Table predictions_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the errors of saved predictions, one row for each quantity.
Table prediction_errors_table(const Frame& frame, const AnalysisOptions& options);
/// Returns the fastest configuration for each budget of GPUs, and the configurations that are as
/// fast.
Table recommend_table(const Frame& frame, const AnalysisOptions& options);

}  // namespace dlscale::analysis
