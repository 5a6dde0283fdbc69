// SPDX-License-Identifier: Apache-2.0
// Defines bands, the likely ranges of predicted numbers, and widens the bands for costs that the
// model leaves out.
#pragma once

#include <string>
#include <string_view>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::predict {

// The following types and functions describe bands: predicted numbers with their likely ranges.

/// Factors that define the likely range of a value, from value x low to value x high.
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

/// Returns the band, widened by an independent uncertainty with the given factors. On each side,
/// the logarithm of edge / value and the logarithm of the factor are added in quadrature. The
/// logarithms keep the edges above 0.
Band widened(Band band, Factors factors);

/// Returns the band with the value and both edges multiplied by `scale`.
Band scaled(const Band& band, double scale);

// The following declarations widen the bands because of costs that the model of a step leaves out.
// The model has no term for loading from a shared file system, for the start of an epoch, for
// stragglers between nodes, or for congestion of the network. Measured runs contain these costs at
// their own GPU counts. At other GPU counts the costs are unknown, and published systems differ
// widely in how much efficiency they lose. The bands are therefore widened by the losses of
// published systems. bench/prediction_bands.py determines these losses from all published systems,
// and for each system from the other systems (docs/measurements/prediction_bands.md).

/// Names of the costs that the model leaves out, for messages.
inline constexpr const char* kMissingTerms =
    "loading from a shared file system, the start of an epoch, stragglers between nodes, network "
    "congestion";

/// Source from which ranks get their samples. Published efficiencies vary more if ranks use an
/// input pipeline than if samples are in memory.
enum class SampleSource {
  input_pipeline,  ///< samples read, decoded or assembled during the training
  memory,          ///< samples generated or ready in memory
};

SampleSource sample_source(const contract::RunSpec& run);

/// Spread of the scaling efficiencies of published systems, in natural logarithms.
struct PublishedSpread {
  /// Loss ln(1 / efficiency) per doubling of the GPU count. 95 % of the published results have at
  /// most this loss.
  double loss = 0;
  double gain = 0;  ///< largest ln(efficiency) above 0 that was published, at any GPU count
};

/// Returns the spread of all published systems. If `site` is a published system itself, returns the
/// spread of the other systems, so that the results of a system do not influence the predictions
/// for this system.
PublishedSpread published_spread(SampleSource source, std::string_view site);

/// Returns whether `site` is a published system. The bands for a published system are computed
/// without the results of that system.
bool is_published_system(std::string_view site);

/// Returns the likely range of the cost of a sample at `gpus` GPUs relative to its cost at `from`
/// GPUs, because of the costs that the model leaves out. The factors apply to the ratio that the
/// model predicts.
Factors missing_cost(const PublishedSpread& spread, int from, int gpus);

/// Costs that the model of a scaling curve leaves out.
struct MissingTerms {
  PublishedSpread spread;  ///< spread of published systems; zero: the model leaves out no costs
  /// Largest GPU count of measured runs. Their measured times already contain the costs.
  int measured_gpus = 1;

  /// Returns the factors of the likely range of the step time on `gpus` GPUs.
  Factors of_step(int gpus) const;
  /// Returns the factors of the likely range of the efficiency on `gpus` GPUs relative to `first`
  /// GPUs.
  Factors of_efficiency(int first, int gpus) const;
  bool widen(int gpus) const { return spread.loss > 0 && gpus > measured_gpus; }
};

}  // namespace dlscale::predict
