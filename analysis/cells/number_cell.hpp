// SPDX-License-Identifier: Apache-2.0
// Parses numbers as printed in tables: "1,024", "98,5 %", "980 ± 5 img/s", "**1.94×**", "~980",
// "980[1]".
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Decimal mark of the numbers in a file.
enum class DecimalMark {
  unknown,  ///< "1.024" has a decimal point, and "1,024" is a problem
  open,     ///< both marks are possible, as in a file with semicolons: "1.024" is also a problem
  point,
  comma
};

/// A parsed cell. `problem` is empty exactly if the cell contains one number.
struct NumberCell {
  double value = 0;            ///< value without its unit: 1.9 for "1.9k"
  double half_place = 0;       ///< half a unit of the last printed digit
  std::string relation = "=";  ///< relation before the number: "=", "~", "<", "<=", ">" or ">="
  std::string unit;            ///< unit after the number, as printed: "img/s", "%", "x"
  std::string problem;         ///< why the cell has no number, as the end of a sentence
  bool is_ambiguous = false;   ///< only the decimal mark of the file would resolve the problem
};

/// Reads a cell. `mark` selects between 1024 and 1.024 if "1,024" or "1.024" is ambiguous. In a
/// `whole` field "1,024" can only be 1024. Spreads, footnote marks and emphasis are not part of the
/// value.
NumberCell read_number_cell(std::string_view text, DecimalMark mark, bool whole = false);

/// Returns the decimal mark that the cell shows without doubt: comma for "98,5" and "1.024,5",
/// point for "98.5" and "1,024,000"; unknown for "1,024", "1.024", "12" and cells without a number.
DecimalMark decimal_mark_of(std::string_view text);

/// Returns whether the cell is empty or marks a missing value: "-", "n/a", "none".
bool is_blank_cell(std::string_view text);

// Digits with marks between groups and before decimals.

/// A number at the start of a text.
struct PrintedDigits {
  std::size_t length = 0;                    ///< length of the number in the text; 0: no number
  std::string plain;                         ///< number in the syntax of std::from_chars
  int decimals = 0;                          ///< number of printed decimals, minus the exponent
  DecimalMark shown = DecimalMark::unknown;  ///< decimal mark that the digits show without doubt
  std::string problem;                       ///< why the digits are not a number
  bool is_ambiguous = false;  ///< only the decimal mark of the file would resolve the problem
};

PrintedDigits read_digits(std::string_view text, DecimalMark mark, bool whole);

}  // namespace dlscale::analysis
