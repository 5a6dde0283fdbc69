// SPDX-License-Identifier: Apache-2.0
// How often a run should save its state, where machines fail by chance alone: as often after long
// work as after short.
#pragma once

#include "predict/units.hpp"

namespace dlscale::predict {

/// √(2δM): δ the time to save, M the mean time between failures. Young, CACM 17(9), 1974.
Seconds young_interval(Seconds write, Seconds between_failures);

/// Training between two saves that loses least: √(2δM)(1 + ⅓√(δ/2M) + δ/18M) - δ, and M where
/// δ ≥ 2M. Daly: A higher order estimate of the optimum checkpoint interval for restart dumps,
/// FGCS 22, 2006.
Seconds daly_interval(Seconds write, Seconds between_failures);

/// Share of the time that goes into saving and into work done again, for a run of so much `work`
/// that saves after each `interval`: 1 - τ / (M (e^((τ+δ)/M) - 1)), Daly's expected time without
/// restarts. As long as the work or longer: it saves nothing and begins anew.
double checkpoint_loss(Seconds work, Seconds interval, Seconds write, Seconds between_failures);

}  // namespace dlscale::predict
