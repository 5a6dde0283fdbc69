// SPDX-License-Identifier: Apache-2.0
// Numbers as tables print them: "1,024", "98,5 %", "980 ± 5 img/s", "**1.94×**", "~980", "980[1]".
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Which mark stands before the decimals of a file's numbers.
enum class DecimalMark {
  unknown,  ///< "1.024" has a decimal point, and "1,024" is a problem
  open,     ///< nothing favours the point, as in a file with semicolons: "1.024" is a problem, too
  point,
  comma
};

/// One cell, taken apart. `problem` is empty exactly if the cell holds one number.
struct NumberCell {
  double value = 0;            ///< without its unit: 1.9 of "1.9k"
  double half_place = 0;       ///< half of the place of the last printed digit
  std::string relation = "=";  ///< "=", "~", "<", "<=", ">" or ">=": what stands before the number
  std::string unit;            ///< behind the number, as printed: "img/s", "%", "x"
  std::string problem;         ///< why the cell holds no number, as the end of a sentence
  bool is_ambiguous = false;   ///< the problem is that only the file's decimal mark would tell
};

/// Reads a cell. `mark` decides between 1024 and 1.024 where "1,024" or "1.024" alone could be
/// both. In a `whole` field "1,024" can only be 1024. Spreads, footnote marks and emphasis are no
/// part of the value.
NumberCell read_number_cell(std::string_view text, DecimalMark mark, bool whole = false);

/// The decimal mark that the cell shows beyond doubt: comma for "98,5" and "1.024,5", point for
/// "98.5" and "1,024,000"; unknown for "1,024", "1.024", "12" and for what is no number.
DecimalMark decimal_mark_of(std::string_view text);

/// Nothing, or what stands in tables for it: "-", "n/a", "none".
bool is_blank_cell(std::string_view text);

// Digits with marks between groups and before decimals.

/// The number at the beginning of a text.
struct PrintedDigits {
  std::size_t length = 0;  ///< of the text that it takes; 0: there is no number
  std::string plain;       ///< as std::from_chars reads it
  int decimals = 0;        ///< printed behind the decimal mark; an exponent is subtracted
  DecimalMark shown = DecimalMark::unknown;  ///< the decimal mark that the digits show beyond doubt
  std::string problem;                       ///< why the digits are no number
  bool is_ambiguous = false;  ///< the problem is that only the file's decimal mark would tell
};

PrintedDigits read_digits(std::string_view text, DecimalMark mark, bool whole);

}  // namespace dlscale::analysis
