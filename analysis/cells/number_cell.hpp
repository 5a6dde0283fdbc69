// SPDX-License-Identifier: Apache-2.0
// Parses numbers as printed in tables: "1,024", "98,5 %", "980 ± 5 img/s", "**1.94×**", "~980",
// "980[1]".
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Decimal mark of the numbers in a file.
enum class DecimalMark {
  unknown,  ///< mark is unknown: "1.024" is read with a decimal point, and "1,024" is a problem
  /// Point and comma are equally likely decimal marks, as in files with ";" between cells. In such
  /// a file "1.024" is as ambiguous as "1,024".
  open,
  point,
  comma
};

/// Number read from a cell of a table. `problem` is empty if and only if the cell contains exactly
/// one number.
struct NumberCell {
  double value = 0;            ///< value without the factor of its unit: 1.9 for "1.9k"
  double half_place = 0;       ///< rounding error: half a unit of the last printed digit
  std::string relation = "=";  ///< relation before the number: "=", "~", "<", "<=", ">" or ">="
  std::string unit;            ///< unit after the number, as printed: "img/s", "%", "x"
  std::string problem;         ///< reason why the cell has no number, as the end of a sentence
  bool is_ambiguous = false;   ///< true if knowing the decimal mark of the file solves the problem
};

/// Reads the number in a cell. A text such as "1,024" can mean 1024 or 1.024. `mark`, the decimal
/// mark of the file, decides between these two meanings. If `whole` is true, the cell must contain
/// a whole number, so that "1,024" can only mean 1024. Spreads, footnote marks and emphasis are not
/// part of the value.
NumberCell read_number_cell(std::string_view text, DecimalMark mark, bool whole = false);

/// Returns the decimal mark that the cell uses, if the cell alone shows it: comma for "98,5" and
/// "1.024,5", point for "98.5" and "1,024,000". Returns unknown for "1,024", "1.024", "12" and
/// cells without a number.
DecimalMark decimal_mark_of(std::string_view text);

/// Returns true if the cell is empty or marks a missing value, such as "-", "n/a" or "none".
bool is_blank_cell(std::string_view text);

// Functions that parse digits with separators of thousands and a decimal mark.

/// Number at the start of a text.
struct PrintedDigits {
  std::size_t length = 0;  ///< length of the number in the text; 0: no number
  std::string plain;       ///< the number rewritten so that std::from_chars can parse it
  int decimals = 0;        ///< number of printed decimals, minus the exponent
  DecimalMark shown = DecimalMark::unknown;  ///< decimal mark, if the digits alone show it
  std::string problem;                       ///< reason why the digits are not a number
  bool is_ambiguous = false;  ///< true if knowing the decimal mark of the file solves the problem
};

PrintedDigits read_digits(std::string_view text, DecimalMark mark, bool whole);

}  // namespace dlscale::analysis
