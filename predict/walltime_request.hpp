// SPDX-License-Identifier: Apache-2.0
// What time limit to ask for when it is known how wrong predictions have been, and how often to
// save a run's state.
#pragma once

#include <optional>
#include <vector>

#include "predict/units.hpp"

namespace dlscale::predict {

/// Loss of asking for `asked` where `needed` was needed, at a quantile: a second too few costs
/// quantile / (1 - quantile) times as much as a second too many. Koenker and Bassett, 1978.
double pinball_loss(double needed, double asked, double quantile);

/// The factor on predictions with the least mean pinball loss over finished runs, measured /
/// predicted of each: one of these ratios. Empty where there are none.
std::optional<double> request_factor(std::vector<double> ratios, double quantile);

/// A bound that the next ratio stays below with that probability, whatever their distribution: the
/// ⌈(n+1) quantile⌉-th of the sorted ratios (Vovk, Gammerman, Shafer: Algorithmic Learning in a
/// Random World, 2005). Empty where there are too few: 19 for 95 %.
std::optional<double> next_ratio_bound(std::vector<double> ratios, double quantile);

struct WalltimeRequest {
  double seconds = 0;   ///< whole minutes
  double factor = 1;    ///< on the prediction
  bool learnt = false;  ///< the factor is of finished runs; else the usual margin
};

inline constexpr double kWalltimeQuantile = 0.98;

/// prediction x factor + start-up, up to a whole minute. The factor is next_ratio_bound's of the
/// finished runs, or with too few of them the larger of `margin` and the worst of them.
WalltimeRequest request_walltime(double predicted_s, const std::vector<double>& ratios,
                                 double margin, double quantile = kWalltimeQuantile);

/// Time between checkpoints that loses least: √(2δM) to second order in δ/M, δ the time to write
/// one and M the mean time between failures; M where δ ≥ 2M. Daly: A higher order estimate of the
/// optimum checkpoint interval for restart dumps, FGCS 22, 2006.
Seconds checkpoint_interval(Seconds write, Seconds between_failures);

/// √(2δM): Young, CACM 17(9), 1974.
Seconds young_interval(Seconds write, Seconds between_failures);

/// Share of the time lost to checkpoints and to work done again, at an interval.
double checkpoint_loss(Seconds interval, Seconds write, Seconds between_failures);

}  // namespace dlscale::predict
