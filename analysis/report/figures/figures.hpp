// SPDX-License-Identifier: Apache-2.0
// Declares the figures of a study and lists their kinds by name.
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
/// Draws the share of communication that computation hides.
Figure overlap_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the share of the step time in which ranks wait for data.
Figure load_share_figure(const Frame& frame, const AnalysisOptions& options);
Figure transfer_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_batch_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_epoch_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_time_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the training time to an accuracy: the highest target accuracy of the runs, else the
/// highest whole percent that every run reached.
Figure time_to_accuracy_figure(const Frame& frame, const AnalysisOptions& options);
/// Draws the number of samples trained on until this accuracy, by global batch. It shows the cost
/// of a larger batch.
Figure images_to_accuracy_figure(const Frame& frame, const AnalysisOptions& options);
Figure pareto_figure(const Frame& frame, const AnalysisOptions& options);
Figure loss_figure(const Frame& frame, const AnalysisOptions& options);

struct FigureKind {
  const char* name;
  const char* summary;
  Figure (*make)(const Frame& frame, const AnalysisOptions& options);
};

/// Returns the kinds above by name, in the order in which a report shows them.
std::span<const FigureKind> figure_kinds();

/// Returns the kind with this name. Throws base::UsageError with the nearest name and the list of
/// names.
const FigureKind& find_figure_kind(std::string_view name);

}  // namespace dlscale::analysis
