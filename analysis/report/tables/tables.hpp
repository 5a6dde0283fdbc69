// SPDX-License-Identifier: Apache-2.0
// The tables of a study: which columns and notes each has.
#pragma once

#include "analysis/frame.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// What may be chosen about a comparison.
struct AnalysisOptions {
  contract::BaselineRule baseline;
  bool allow_mixed = false;  ///< compare across devices, CPU models, …; flagged all the same
  bool laws = false;         ///< figures of speed-up and efficiency: continued by scaling laws
};

/// Throughput, step time, speed-up and efficiency of each point of each curve. Points without a
/// baseline keep their row; what needs one is empty and a note says why.
Table efficiency_table(const Frame& frame, const AnalysisOptions& options);
/// Speed-up, ideal and Karp-Flatt's serial fraction; only curves with a baseline.
Table speedup_table(const Frame& frame, const AnalysisOptions& options);
Table throughput_table(const Frame& frame, const AnalysisOptions& options);
/// The throughput of the same runs by the mean, the olympic mean and the median, with outliers.
Table definitions_table(const Frame& frame, const AnalysisOptions& options);
/// Shares of the step's parts.
Table breakdown_table(const Frame& frame, const AnalysisOptions& options);
/// Test accuracy by global batch.
Table accuracy_table(const Frame& frame, const AnalysisOptions& options);
/// Loss and what else the last evaluation found: top-5 accuracy, perplexity, BLEU, …
Table evaluation_table(const Frame& frame, const AnalysisOptions& options);
/// How much worse the test set is than the training set.
Table generalisation_table(const Frame& frame, const AnalysisOptions& options);
/// How long training took to reach a target, of the runs that did.
Table time_to_target_table(const Frame& frame, const AnalysisOptions& options);
/// Latency and throughput of forward passes alone.
Table inference_table(const Frame& frame, const AnalysisOptions& options);
/// What an epoch sends.
Table transfer_table(const Frame& frame, const AnalysisOptions& options);
/// Times and bandwidths of collectives by message size.
Table collectives_table(const Frame& frame, const AnalysisOptions& options);
/// Jobs of a batch system's books: how long they waited, and how much they took of what they asked
/// for.
Table jobs_table(const Frame& frame, const AnalysisOptions& options);

/// Which of two configurations is faster, pair by pair, with what the repeats can tell.
Table verdicts_table(const Frame& frame, const AnalysisOptions& options);
/// Which nodes computed more slowly than the others of the same launches.
Table node_table(const Frame& frame, const AnalysisOptions& options);
/// GPU-hours, and samples for each.
Table cost_table(const Frame& frame, const AnalysisOptions& options);
/// Scaling laws through the step times of each curve, and what they say of more GPUs.
Table fit_table(const Frame& frame, const AnalysisOptions& options);
/// Up to how many GPUs efficiency and accuracy are worth it.
Table knee_table(const Frame& frame, const AnalysisOptions& options);
/// Kept predictions beside what was measured, a row for each point.
Table predictions_table(const Frame& frame, const AnalysisOptions& options);
/// How wrong they have been, a row for each quantity.
Table prediction_errors_table(const Frame& frame, const AnalysisOptions& options);
/// The fastest configuration for each budget of GPUs, and those that are as fast.
Table recommend_table(const Frame& frame, const AnalysisOptions& options);

}  // namespace dlscale::analysis
