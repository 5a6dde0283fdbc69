// SPDX-License-Identifier: Apache-2.0
// Numbers as publications print them: rounded, bounded, with a unit, and what stands around them in
// a cell.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/cells/number_cell.hpp"

namespace dlscale::analysis {

// Numbers as publications print them: rounded, bounded, with a unit.

/// Range of values that a printed number can mean, in base units, rounding included.
struct Printed {
  double value = 0;
  double low = 0;
  double high = 0;
};

inline Printed scaled(const Printed& printed, double factor) {
  return {printed.value * factor, printed.low * factor, printed.high * factor};
}

/// Exponents of seconds, bytes and operations. Images, values and other counts have none.
using Dimension = std::array<int, 3>;

struct Unit {
  double factor = 1;  ///< factor from this unit to base units: s, B, operations
  Dimension dimension{};
  std::optional<CellUnit> cell;  ///< unit as written in cells; absent for units of physics
};

Unit unit_of(const CellUnit& cell);

/// Parses every unit that cells may have (parse_cell_unit), units of physics ("Gbit/s", "TFLOP/s",
/// "Hz"), quotients of two units ("min/epoch", "GB/s") and "1". Returns nothing for other texts.
std::optional<Unit> parse_unit(std::string_view text);

/// Parses a printed number: "0.76" is 0.755 to 0.765, "1/2" is exact, "20..40" is 19.5 to 40.5.
/// Returns nothing for other texts.
std::optional<Printed> parse_printed(std::string_view text);

/// Returns the number of significant digits: 4 in "24.45", 2 in "0.70".
int significant_digits(std::string_view text);

/// Returns the smallest and the largest ratio of `to` to `from`.
Printed ratio(const Printed& to, const Printed& from);
bool overlap(const Printed& a, const Printed& b);

// A cell of a published table in base units, with what stands around its number.

struct PrintedCell {
  std::optional<Printed> number;  ///< in base units
  std::string relation = "=";     ///< "=", "~", "<", "<=", ">" or ">="
  std::string text;               ///< as printed, without the relation
  std::string problem;            ///< why there is no number, as the end of a sentence
};

/// Reads a cell of a column with this unit ("image/s", "%"). A unit in the cell counts instead of
/// the column's where both measure the same.
PrintedCell read_printed_cell(std::string_view text, const std::string& unit, DecimalMark mark);

/// "OOM", "failed" and their like: what tables print where a run gave no number.
bool is_failure_word(std::string_view text);

}  // namespace dlscale::analysis
