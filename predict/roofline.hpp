// SPDX-License-Identifier: Apache-2.0
// How long layers take at least: by their FLOPs and the device's peak, or by their bytes and its
// memory. Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009.
#pragma once

#include <string>
#include <vector>

#include "contract/records/model_card.hpp"
#include "predict/device.hpp"

namespace dlscale::predict {

enum class Bound { compute, memory, communication };
const char* to_string(Bound bound);

struct PassTime {
  Seconds time;
  Bound bound = Bound::memory;
};

/// max(FLOPs / peak, bytes / memory bandwidth) for a batch.
PassTime roofline(const contract::PassCost& cost, const Rates& rates, double batch);

struct LayerTime {
  PassTime forward;
  PassTime backward;
};

/// A step's computation on one GPU, layer by layer.
struct ComputeTimes {
  std::vector<LayerTime> layers;  ///< as in the card
  Seconds optimizer;
  Seconds forward() const;
  Seconds backward() const;
  Seconds total() const { return forward() + backward() + optimizer; }
  /// Of forward() + backward() what goes to layers of that bound.
  Seconds spent(Bound bound) const;
};

/// Of a parameter, its gradient and each of its optimizer's states: 8 bytes in fp64, else 4, for
/// autocast computes in other formats than it keeps.
Bytes number_width(const std::string& precision);

/// What an optimizer keeps for each parameter beside it and its gradient, in numbers: 0 for plain
/// sgd, 1 with momentum and for lars, 2 for adam and adamw.
int optimizer_states(const std::string& optimizer, double momentum);

/// No device is faster. The optimizer reads parameters, gradients and states, and writes parameters
/// and states. Loss and data loading are not in it.
ComputeTimes roofline(const contract::ModelCard& card, const Rates& rates, double batch,
                      int optimizer_states);

}  // namespace dlscale::predict
