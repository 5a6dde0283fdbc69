// SPDX-License-Identifier: Apache-2.0
// Parses changed hardware of `--what-if` and `--sweep`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/units.hpp"

namespace dlscale::forecast {

/// Changed values. An unset value is that of the site and its device.
struct HardwareOverride {
  std::string gpu;                                ///< name of a device file
  std::optional<predict::BytesPerSecond> link;    ///< link of a node to other nodes
  std::optional<predict::Seconds> latency;        ///< latency of a hop between nodes
  std::optional<predict::FlopPerSecond> peak;     ///< peak in the precision of the run
  std::optional<predict::BytesPerSecond> memory;  ///< bandwidth of the device memory
  std::optional<predict::Bytes> capacity;         ///< memory of the device
  /// memory that a process needs before its first tensor
  std::optional<predict::Bytes> context;
};

/// Parses "gpu=NAME", "link=400Gbps" (or 50GB/s), "latency=2us", "peak=100TFLOPS",
/// "memory=2000GB/s", "capacity=16GiB", "context=150MiB"; one word may have several, separated by
/// commas. Throws base::UsageError.
HardwareOverride read_hardware_override(const std::vector<std::string>& words);

/// Returns the text of a note: "link 400 Gbit/s, latency 2 us"; empty without changes.
std::string override_text(const HardwareOverride& what);

/// A quantity of a sweep with its values: TFLOP/s, Gbit/s, GPUs or samples.
struct Sweep {
  std::string name;  ///< peak, link, gpus, batch
  std::vector<double> values;
};

/// Parses "peak", "link=1,10,100" or "all", with default values if none are given. Throws
/// base::UsageError.
std::vector<Sweep> read_sweeps(const std::vector<std::string>& words);

}  // namespace dlscale::forecast
