// SPDX-License-Identifier: Apache-2.0
// A predicted number with the values that it is likely to lie between, and how far what the model
// leaves out widens that.
#pragma once

#include <string>
#include <string_view>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::predict {

// A predicted number with the values that it is likely to lie between.

/// Factors that a value is likely to lie between: value x low to value x high.
struct Factors {
  double low = 1;
  double high = 1;
};

struct Band {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Returns the band with both edges moved outwards by independent factors: the logarithms of the
/// distances to the value are added in quadrature, so that no edge passes 0.
Band widened(Band band, Factors factors);

/// Returns the band of `value` x `scale`, edges included.
Band scaled(const Band& band, double scale);

// How far bands reach because of what the model of a step's time leaves out.
// The model has no term for loading from a shared file system, for the start of an epoch, for
// stragglers between nodes, or for congestion of the network. On the GPU counts of measured runs
// the measurements hold what these take. On other counts nothing does, and published systems lie
// far apart there: that distance becomes the width of the bands. bench/prediction_bands.py fits it
// with one system left out at a time (docs/measurements/prediction_bands.md).

/// What the model leaves out, for messages.
inline constexpr const char* kMissingTerms =
    "loading from a shared file system, the start of an epoch, stragglers between nodes, "
    "congestion of the network";

/// How ranks get their samples. Published systems with an input pipeline lie farther apart.
enum class SampleSource {
  input_pipeline,  ///< samples are read, decoded or put together while the run trains
  memory,          ///< samples are made up, or lie ready in memory
};

SampleSource sample_source(const contract::RunSpec& run);

/// How far published systems lie apart, in natural logarithms.
struct PublishedSpread {
  double loss = 0;  ///< ln(1 / efficiency) for each doubling of the GPUs, which 95 % do not exceed
  double gain = 0;  ///< the largest ln(efficiency) above 0, whatever the count
};

/// Returns the spread of all published systems. For a site of that name which is a published system
/// itself, returns the spread of the others, so that no prediction rests on its own outcome.
PublishedSpread published_spread(SampleSource source, std::string_view site);

/// Whether a site of that name is a published system, which is left out of its own bands.
bool is_published_system(std::string_view site);

/// Returns the factors between which the cost of a sample at `gpus` lies, relative to its cost at
/// `from` GPUs, because of the missing terms.
Factors missing_cost(const PublishedSpread& spread, int from, int gpus);

/// What is missing from the model of a curve.
struct MissingTerms {
  PublishedSpread spread;  ///< 0, 0: nothing is missing
  int measured_gpus = 1;   ///< the most GPUs of measured runs, which hold the missing terms

  /// Factors of a step's time on `gpus` GPUs.
  Factors of_step(int gpus) const;
  /// Factors of the efficiency on `gpus` GPUs against `first` GPUs.
  Factors of_efficiency(int first, int gpus) const;
  bool widen(int gpus) const { return spread.loss > 0 && gpus > measured_gpus; }
};

}  // namespace dlscale::predict
