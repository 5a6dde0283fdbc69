// SPDX-License-Identifier: Apache-2.0
// Units that stand behind the numbers of tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscale::analysis {

enum class UnitKind { count, time, rate, share, ratio, bytes };

struct CellUnit {
  UnitKind kind = UnitKind::count;
  double factor = 1;  ///< to base units: seconds, things a second, fractions, bytes
  std::string
      thing;  ///< of counts and rates: "sample", "step", "epoch", "gpu", "node"; empty: none
  bool per_gpu = false;  ///< a rate of one GPU, or of one node
};

/// "img/s", "kimg/sec", "tokens per second", "ms", "%", "x", "GB", "k", "GPUs", "img/s/GPU".
/// Nothing for what is no unit, and for "m", which may be a thousandth, a million or a minute.
std::optional<CellUnit> parse_cell_unit(std::string_view text);

}  // namespace dlscale::analysis
