// SPDX-License-Identifier: Apache-2.0
// Digits with marks between groups and before decimals.
#pragma once

#include <string>
#include <string_view>

#include "analysis/cells/number_cell.hpp"

namespace dlscale::analysis {

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
