// SPDX-License-Identifier: Apache-2.0
// The figures of a study: what each kind shows.
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
/// Share of the communication that computation hides.
Figure overlap_figure(const Frame& frame, const AnalysisOptions& options);
/// Share of the step time in which ranks wait for data.
Figure load_share_figure(const Frame& frame, const AnalysisOptions& options);
Figure transfer_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_batch_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_epoch_figure(const Frame& frame, const AnalysisOptions& options);
Figure accuracy_vs_time_figure(const Frame& frame, const AnalysisOptions& options);
/// To the highest accuracy that runs had as their target, else to the highest whole percent that
/// every run reached.
Figure time_to_accuracy_figure(const Frame& frame, const AnalysisOptions& options);
/// Samples trained on until then, by global batch: what a larger batch costs.
Figure images_to_accuracy_figure(const Frame& frame, const AnalysisOptions& options);
Figure pareto_figure(const Frame& frame, const AnalysisOptions& options);
Figure loss_figure(const Frame& frame, const AnalysisOptions& options);

struct FigureKind {
  const char* name;
  const char* summary;
  Figure (*make)(const Frame& frame, const AnalysisOptions& options);
};

/// The kinds above by name, in the order in which a report shows them.
std::span<const FigureKind> figure_kinds();

/// Throws base::UsageError with the nearest name and the list.
const FigureKind& find_figure_kind(std::string_view name);

}  // namespace dlscale::analysis
