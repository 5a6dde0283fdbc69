// SPDX-License-Identifier: Apache-2.0
// Defines bands, the likely ranges of predicted numbers, and widens the bands for costs that the
// model leaves out.
#pragma once

#include <string>
#include <string_view>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::predict {

// Bands: predicted numbers with their likely ranges.

/// Factors of a likely range, which reaches from value x low to value x high.
struct Factors {
  double low = 1;
  double high = 1;
};

/// Predicted value with the edges of its likely range.
struct Band {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Returns the band with both edges moved outwards by independent factors. The logarithms of the
/// distances to the value are added in quadrature, so that no edge crosses 0.
Band widened(Band band, Factors factors);

/// Returns the band with the value and both edges multiplied by `scale`.
Band scaled(const Band& band, double scale);

// Width of bands because of costs that the model of a step leaves out.
// The model has no term for loading from a shared file system, for the start of an epoch, for
// stragglers between nodes, or for congestion of the network. Measured runs contain these costs for
// their own GPU counts. For other GPU counts no measurement contains them, and the results of
// published systems differ widely. The width of the bands covers these differences.
// bench/prediction_bands.py fits the width and leaves out one system at a time
// (docs/measurements/prediction_bands.md).

/// Names of the costs that the model leaves out, for messages.
inline constexpr const char* kMissingTerms =
    "loading from a shared file system, the start of an epoch, stragglers between nodes, network "
    "congestion";

/// Source from which ranks get their samples. The results of published systems differ more with an
/// input pipeline.
enum class SampleSource {
  input_pipeline,  ///< samples read, decoded or assembled during the training
  memory,          ///< samples generated or ready in memory
};

SampleSource sample_source(const contract::RunSpec& run);

/// Spread of the results of published systems, in natural logarithms.
struct PublishedSpread {
  double loss = 0;  ///< ln(1 / efficiency) per doubling of the GPUs that 95 % do not exceed
  double gain = 0;  ///< largest ln(efficiency) above 0 at any GPU count
};

/// Returns the spread of all published systems. If `site` is a published system itself, returns the
/// spread of the other systems, so that the results of a system do not determine its own
/// predictions.
PublishedSpread published_spread(SampleSource source, std::string_view site);

/// Returns whether `site` is a published system. The bands of a published system leave out its own
/// results.
bool is_published_system(std::string_view site);

/// Returns the factors of the likely range of the cost of a sample at `gpus` GPUs, relative to its
/// cost at `from` GPUs. The range covers the costs that the model leaves out.
Factors missing_cost(const PublishedSpread& spread, int from, int gpus);

/// Costs that the model of a curve leaves out.
struct MissingTerms {
  PublishedSpread spread;  ///< spread of published systems; 0, 0: no costs are missing
  int measured_gpus = 1;   ///< largest GPU count of measured runs, which contain these costs

  /// Returns the factors for the time of a step on `gpus` GPUs.
  Factors of_step(int gpus) const;
  /// Returns the factors for the efficiency on `gpus` GPUs relative to `first` GPUs.
  Factors of_efficiency(int first, int gpus) const;
  bool widen(int gpus) const { return spread.loss > 0 && gpus > measured_gpus; }
};

}  // namespace dlscale::predict
