// SPDX-License-Identifier: Apache-2.0
// Parses the units after numbers in tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscale::analysis {

enum class UnitKind { count, time, rate, share, ratio, bytes };

struct CellUnit {
  UnitKind kind = UnitKind::count;
  double factor = 1;  ///< factor to base units: seconds, things per second, fractions, bytes
  std::string
      /// counted thing of counts and rates: "sample", "step", "epoch", "gpu", "node"; empty: none
      thing;
  bool per_gpu = false;  ///< the rate is per GPU or per node
};

/// Parses a unit such as "img/s", "kimg/sec", "tokens per second", "ms", "%", "x", "GB", "k",
/// "GPUs" or "img/s/GPU". Returns nothing for other texts, and for "m", which can be a thousandth,
/// a million or a minute.
std::optional<CellUnit> parse_cell_unit(std::string_view text);

}  // namespace dlscale::analysis
