// SPDX-License-Identifier: Apache-2.0
// Computes the minimum time of layers from their FLOPs and bytes, and from the peak and the memory
// bandwidth of the device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contract/records/model_card.hpp"
#include "predict/all_reduce.hpp"
#include "predict/units.hpp"

namespace dlscale::predict {

// Device on which ranks compute, such as a GPU, with the figures of its data sheet.

struct Device {
  std::string name;   ///< name of the device file, such as "a100-sxm4-40gb"
  std::string title;  ///< name for messages and tables
  /// Peak rate by precision. Precisions have the names that studies use.
  std::map<std::string, FlopPerSecond> peak;
  BytesPerSecond memory_bandwidth;
  Bytes memory;   ///< memory available to programs, equal to the total capacity that PyTorch prints
  Bytes context;  ///< part of `memory` that a process needs before its first tensor
  Link peer;      ///< link to the other devices of the node
  /// Texts that identify the device. The driver reports a device name that contains one of them.
  std::vector<std::string> match;
};

/// Rates of a device that the roofline needs.
struct Rates {
  FlopPerSecond peak;
  BytesPerSecond memory_bandwidth;
};

/// Returns the rates of a device in a precision. Throws base::UsageError with the available
/// precisions if the device has no peak for `precision`.
Rates rates_of(const Device& device, const std::string& precision);

// The roofline gives the minimum time of a layer: the larger of FLOPs / peak rate and bytes /
// memory bandwidth. Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009.

/// Resource that limits the speed of a layer or a step.
enum class Bound { compute, memory, communication };
const char* to_string(Bound bound);

struct PassTime {
  Seconds time;
  Bound bound = Bound::memory;
};

/// Returns max(FLOPs / peak, bytes / memory bandwidth) for a batch, and the resource that limits
/// the time.
PassTime roofline(const contract::PassCost& cost, const Rates& rates, double batch);

struct LayerTime {
  PassTime forward;
  PassTime backward;
};

/// Computation of a step on one GPU, layer by layer.
struct ComputeTimes {
  std::vector<LayerTime> layers;  ///< times of the layers in the order of the cost model
  Seconds optimizer;
  Seconds forward() const;
  Seconds backward() const;
  Seconds total() const { return forward() + backward() + optimizer; }
  /// Returns the total time of the forward and backward passes of layers that `bound` limits, or of
  /// their forward passes only.
  Seconds spent(Bound bound, bool forward_only = false) const;
};

/// Returns the size in bytes of a parameter, of its gradient and of each optimizer state: 8 in
/// fp64, else 4. Autocast computes in smaller formats but keeps 4-byte numbers.
Bytes number_width(const std::string& precision);

/// Returns how many numbers an optimizer keeps for each parameter in addition to the parameter and
/// its gradient: 0 for plain sgd, 1 with momentum and for lars, 2 for adam and adamw.
int optimizer_states(const std::string& optimizer, double momentum);

/// Returns the minimum computation times of a step. A real device is never faster. The optimizer
/// reads parameters, gradients and states, and writes parameters and states. Excludes the loss and
/// data loading.
ComputeTimes roofline(const contract::ModelCard& card, const Rates& rates, double batch,
                      int optimizer_states);

}  // namespace dlscale::predict
