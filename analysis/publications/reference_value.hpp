// SPDX-License-Identifier: Apache-2.0
// Parses printed numbers of publications, which may be rounded, be bounds, have a unit, or stand in
// a cell with other text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/cells/number_cell.hpp"

namespace dlscale::analysis {

// Printed numbers and units.

/// Range of values that a printed number can mean, in base units. The limits allow for rounding.
struct Printed {
  double value = 0;
  double low = 0;
  double high = 0;
};

inline Printed scaled(const Printed& printed, double factor) {
  return {printed.value * factor, printed.low * factor, printed.high * factor};
}

/// Exponents of seconds, bytes and operations in a unit. Counts, such as images or values, have no
/// dimension.
using Dimension = std::array<int, 3>;

struct Unit {
  double factor = 1;  ///< factor from this unit to base units: s, B, operations
  Dimension dimension{};
  std::optional<CellUnit> cell;  ///< unit from parse_cell_unit(); absent for other units
};

Unit unit_of(const CellUnit& cell);

/// Parses every unit that cells may have (parse_cell_unit), units of physics ("Gbit/s", "TFLOP/s",
/// "Hz"), quotients of two units ("min/epoch", "GB/s") and "1". Returns nothing for other texts.
std::optional<Unit> parse_unit(std::string_view text);

/// Parses a printed number and its rounding: "0.76" means 0.755 to 0.765, "1/2" is exact, and
/// "20..40" means 19.5 to 40.5. Returns nothing for other texts.
std::optional<Printed> parse_printed(std::string_view text);

/// Returns the number of significant digits: 4 in "24.45", 2 in "0.70".
int significant_digits(std::string_view text);

/// Returns the ratio of `to` to `from`, with the smallest and the largest value that the two ranges
/// allow.
Printed ratio(const Printed& to, const Printed& from);
bool overlap(const Printed& a, const Printed& b);

// Cells of published tables, whose numbers may have a relation and a unit.

struct PrintedCell {
  std::optional<Printed> number;  ///< number in base units
  std::string relation = "=";     ///< "=", "~", "<", "<=", ">" or ">="
  std::string text;               ///< printed text without the relation
  std::string problem;            ///< reason for a missing number, as the end of a sentence
};

/// Reads a cell of a column with this unit ("image/s", "%"). If the cell has its own unit and this
/// unit has the dimension of the column's unit, the unit of the cell is used.
PrintedCell read_printed_cell(std::string_view text, const std::string& unit, DecimalMark mark);

/// Returns true for "OOM", "failed" and similar words that tables print for a run that gave no
/// number.
bool is_failure_word(std::string_view text);

}  // namespace dlscale::analysis
