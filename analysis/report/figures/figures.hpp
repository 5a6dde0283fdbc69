// SPDX-License-Identifier: Apache-2.0
// Declares the functions that draw the figures of a study, and lists the kinds of figures by name.
#pragma once

#include <span>
#include <string_view>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

Figure speedup_figure(const Frame& frame, const AnalysisOptions& options);
Figure efficiency_figure(const Frame& frame, const AnalysisOptions& options);
Figure throughput_figure(const Frame& frame, const AnalysisOptions& options);
Figure throughput_per_gpu_figure(const Frame& frame, const AnalysisOptions& options);
Figure epoch_time_figure(const Frame& frame, const AnalysisOptions& options);
Figure breakdown_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the share of the communication time that is hidden because computation runs at the same
/// time.
Figure overlap_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the share of the step time that ranks spend waiting for data.
Figure load_share_figure(const Frame& frame, const AnalysisOptions& options);
Figure transfer_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_batch_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_epoch_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_time_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the training time until an accuracy was reached. This accuracy is the highest target
/// accuracy of the runs. If no run has a target, it is the highest whole percent that every run
/// reached.
Figure time_to_accuracy_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the number of training samples until the accuracy of time_to_accuracy_figure was reached,
/// by global batch. It shows how many more samples a larger batch needs.
Figure images_to_accuracy_figure(const Frame& frame, const AnalysisOptions& options);
Figure pareto_figure(const Frame& frame, const AnalysisOptions& options);
Figure loss_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the fastest GPU count for each global batch. The bars cover all counts that the repeats
/// cannot distinguish from the fastest.
Figure best_count_figure(const Frame& frame, const AnalysisOptions& options);
/// The following two functions draw the latency of a batch and the throughput of inference, over
/// the batch size.
Figure inference_figure(const Frame& frame, const AnalysisOptions& options);
Figure inference_throughput_figure(const Frame& frame, const AnalysisOptions& options);

struct FigureKind {
  const char* name;
  const char* summary;
  Figure (*make)(const Frame& frame, const AnalysisOptions& options);
  /// Condition for a point in the figure, for example "a completed run with timed steps".
  const char* needs;
};

/// Returns all kinds of figures, in the order in which a report shows them.
std::span<const FigureKind> figure_kinds();

/// Returns the kind of figure with this name. Throws base::UsageError for an unknown name. The
/// message suggests the most similar name and lists all names.
const FigureKind& find_figure_kind(std::string_view name);

}  // namespace dlscale::analysis
