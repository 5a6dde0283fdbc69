// SPDX-License-Identifier: Apache-2.0
// Hardware other than the site's, as `--what-if` and `--sweep` name it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/units.hpp"

namespace dlscale::forecast {

/// What is otherwise; nothing: as the site and its device have it.
struct WhatIf {
  std::string gpu;                                ///< of devices/
  std::optional<predict::BytesPerSecond> link;    ///< of a node, to the others
  std::optional<predict::Seconds> latency;        ///< of a hop between nodes
  std::optional<predict::FlopPerSecond> peak;     ///< in the precision of the run
  std::optional<predict::BytesPerSecond> memory;  ///< bandwidth of the device's memory
  std::optional<predict::Bytes> capacity;         ///< of it
  std::optional<predict::Bytes> context;          ///< of it, before a process's first tensor
};

/// "gpu=NAME", "link=400Gbps" (or 50GB/s), "latency=2us", "peak=100TFLOPS", "memory=2000GB/s",
/// "capacity=16GiB", "context=150MiB"; several words may be one, with commas between. Throws
/// base::UsageError.
WhatIf read_what_if(const std::vector<std::string>& words);

/// As a note says it: "link 400 Gbit/s, latency 2 us"; empty where nothing is otherwise.
std::string text_of(const WhatIf& what);

/// A quantity that a sweep varies, with the values it takes: TFLOP/s, Gbit/s, GPUs, samples.
struct Sweep {
  std::string name;  ///< peak, link, gpus, batch
  std::vector<double> values;
};

/// "peak", "link=1,10,100", "all": without values the usual ones. Throws base::UsageError.
std::vector<Sweep> read_sweeps(const std::vector<std::string>& words);

}  // namespace dlscale::forecast
