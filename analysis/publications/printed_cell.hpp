// SPDX-License-Identifier: Apache-2.0
// A cell of a published table in base units, with what stands around its number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/cells/number_cell.hpp"
#include "analysis/publications/reference_value.hpp"

namespace dlscale::analysis {

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
