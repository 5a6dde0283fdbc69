// SPDX-License-Identifier: Apache-2.0
// Computes how often a run should save its state if machines fail at random, with a constant rate.
#pragma once

#include "predict/units.hpp"

namespace dlscale::predict {

/// Returns the training time between two saves by Young's formula: √(2δM). δ is the time to save
/// and M is the mean time between failures. Young, CACM 17(9), 1974.
Seconds young_interval(Seconds write, Seconds between_failures);

/// Returns the training time between two saves that minimises the time that a run loses: √(2δM)(1 +
/// ⅓√(δ/2M) + δ/18M) - δ, or M if δ ≥ 2M. δ is the time to save and M is the mean time between
/// failures. Daly: A higher order estimate of the optimum checkpoint interval for restart dumps,
/// FGCS 22, 2006.
Seconds daly_interval(Seconds write, Seconds between_failures);

/// Returns the share of the time that a run loses to saving and to work that it repeats after
/// failures. The run has the length `work` and saves after each `interval`. The share is 1 - τ / (M
/// (e^((τ+δ)/M) - 1)), where τ is `interval`, δ is `write` and M is `between_failures`. The formula
/// follows from Daly's expected time if restarts take no time. If `interval` is at least `work`,
/// the run does not save and repeats all work after a failure.
double checkpoint_loss(Seconds work, Seconds interval, Seconds write, Seconds between_failures);

}  // namespace dlscale::predict
