// SPDX-License-Identifier: Apache-2.0
// What time limit to ask for when it is known how wrong predictions have been.
#pragma once

#include <optional>
#include <vector>

namespace dlscale::predict {

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

}  // namespace dlscale::predict
