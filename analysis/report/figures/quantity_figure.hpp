// SPDX-License-Identifier: Apache-2.0
// Draws one or several quantities over any axis of a study, or over the course of the training.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/figures/quantities.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

struct QuantityChoice {
  std::vector<std::string> names;  ///< names of quantities with the same unit (quantity_names())
  /// Horizontal axis: an axis of the study, or one of trace_axes(). Empty: epoch for losses and
  /// accuracies by epoch, and the GPU count for other quantities.
  std::string x = {};
  /// Axes whose values make curves. Empty: all axes that vary and do not follow from x.
  std::vector<std::string> by = {};
};

/// Measurements that are not part of a Frame because reading them takes long.
struct RunDetails {
  bool window_losses = false;  ///< RunRow::window_losses
  bool peak_memory = false;    ///< RunRow::peak_memory_bytes
};

/// Returns the measurements that quantity_figure() needs for this choice. Throws base::UsageError
/// for an unknown quantity.
RunDetails needed_details(const QuantityChoice& choice);

/// Returns the axes over the course of the training: epoch, step, samples, time.
const std::vector<std::string>& trace_axes();

/// Returns the axes of the study over which a quantity can be drawn. They include the GPU count,
/// the node count and both batches.
std::vector<std::string> study_axes(const Frame& frame);

/// Returns the reason why no run has a value of the quantity, or why no curve has a baseline for
/// it.
std::string why_no_values(const Quantity& quantity, const Frame& frame,
                          const AnalysisOptions& options);

/// Draws the quantities, with medians and intervals over the repeats. A curve with a single point
/// is left out if `by` is empty and other curves have several points, as in studies that vary one
/// axis at a time. A figure without series has one note, which states what is missing.
///
/// Throws base::UsageError for unknown names, for quantities of different units, for quantities
/// that are not recorded over the course of the training, and if points that differ in an axis
/// would share a curve and an x value. The message states what is possible.
Figure quantity_figure(const Frame& frame, const AnalysisOptions& options,
                       const QuantityChoice& choice);

}  // namespace dlscale::analysis
