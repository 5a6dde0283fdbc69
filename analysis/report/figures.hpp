// SPDX-License-Identifier: Apache-2.0
// The figures of a study: what each kind shows.
#pragma once

#include <span>
#include <string_view>

#include "analysis/report/figure.hpp"
#include "analysis/report/tables.hpp"

namespace dlscale::analysis {

struct FigureKind {
  const char* name;
  const char* summary;
  Figure (*make)(const Frame& frame, const AnalysisOptions& options);
};

/// speedup, efficiency, throughput, breakdown, accuracy-vs-batch, accuracy-vs-epoch, loss.
std::span<const FigureKind> figure_kinds();

/// Throws base::UsageError with the nearest name and the list.
const FigureKind& find_figure_kind(std::string_view name);

}  // namespace dlscale::analysis
