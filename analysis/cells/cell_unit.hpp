// SPDX-License-Identifier: Apache-2.0
// Parses the units that tables print after numbers, such as "img/s".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscale::analysis {

enum class UnitKind { count, time, rate, share, ratio, bytes };

struct CellUnit {
  UnitKind kind = UnitKind::count;
  /// Factor that converts to base units: seconds, things per second, fractions, bytes.
  double factor = 1;
  std::string
      /// counted thing: "sample", "step", "epoch", "gpu" or "node"; empty: none
      thing;
  bool per_gpu = false;  ///< true if the rate is per GPU or per node
};

/// Parses a unit such as "img/s", "kimg/sec", "tokens per second", "ms", "%", "x", "GB", "k",
/// "GPUs" or "img/s/GPU". Returns an empty value for any other text, for example "m", which can
/// mean a thousandth, a million or a minute.
std::optional<CellUnit> parse_cell_unit(std::string_view text);

}  // namespace dlscale::analysis
