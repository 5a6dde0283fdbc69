// SPDX-License-Identifier: Apache-2.0
// How long layers take at least: by their FLOPs and the device's peak, or by their bytes and its
// bandwidth.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contract/records/model_card.hpp"
#include "predict/all_reduce.hpp"
#include "predict/units.hpp"

namespace dlscale::predict {

// A GPU, or what else ranks compute on, as its data sheet has it.

struct Device {
  std::string name;                           ///< "a100-sxm4-40gb": of its file
  std::string title;                          ///< for people
  std::map<std::string, FlopPerSecond> peak;  ///< by precision, as studies say it
  BytesPerSecond memory_bandwidth;
  Bytes memory;                    ///< that programs can have, as PyTorch prints its total capacity
  Bytes context;                   ///< of that, what a process takes before its first tensor
  Link peer;                       ///< to the others of its node
  std::vector<std::string> match;  ///< parts of the name that its driver gives it
};

/// What the roofline needs of it.
struct Rates {
  FlopPerSecond peak;
  BytesPerSecond memory_bandwidth;
};

/// Throws base::UsageError for a precision that the device has no peak for; it names those it has.
Rates rates_of(const Device& device, const std::string& precision);

// How long layers take at least: by their FLOPs and the device's peak, or by their bytes and its
// memory. Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009.

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
