// SPDX-License-Identifier: Apache-2.0
// Parses the hardware values that a user changes with `--what-if` and the ranges of `--sweep`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/units.hpp"

namespace dlscale::forecast {

/// Hardware values that the user changes for a prediction. If a value is not set, the prediction
/// uses the value of the site or of its device.
struct HardwareOverride {
  /// Name of a device file that replaces the device of the site.
  std::string gpu;
  /// Bandwidth of the link from a node to other nodes.
  std::optional<predict::BytesPerSecond> link;
  std::optional<predict::Seconds> latency;        ///< latency of a hop between nodes
  std::optional<predict::FlopPerSecond> peak;     ///< peak rate in the precision of the run
  std::optional<predict::BytesPerSecond> memory;  ///< bandwidth of the device memory
  std::optional<predict::Bytes> capacity;         ///< capacity of the device memory
  /// Memory that a process needs before its first tensor.
  std::optional<predict::Bytes> context;
};

/// Parses values such as "gpu=NAME", "link=400Gbps" (or 50GB/s), "latency=2us", "peak=100TFLOPS",
/// "memory=2000GB/s", "capacity=16GiB" and "context=150MiB". One element of `words` can contain
/// several values, separated by commas. Throws base::UsageError for an invalid value.
HardwareOverride read_hardware_override(const std::vector<std::string>& words);

/// Returns the changed values as text, for example "link 400 Gbit/s, latency 2 us". Returns an
/// empty text if no value is changed.
std::string override_text(const HardwareOverride& what);

/// Quantity that a sweep varies, and its values in TFLOP/s, GB/s, Gbit/s, GPUs or samples.
struct Sweep {
  std::string name;  ///< name of the quantity: peak, memory, link, gpus or batch
  std::vector<double> values;
};

/// Parses sweeps such as "peak", "link=1,10,100" or "all". A sweep without values has default
/// values. Throws base::UsageError for an invalid sweep.
std::vector<Sweep> read_sweeps(const std::vector<std::string>& words);

}  // namespace dlscale::forecast
