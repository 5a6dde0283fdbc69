// SPDX-License-Identifier: Apache-2.0
// Converts table cells to the numbers that the fields need. Units are converted, or rejected if
// they do not fit the field.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "analysis/cells/number_cell.hpp"
#include "analysis/import/mapped/mapped_format.hpp"

namespace dlscale::analysis {

/// Decimal mark of each field in a file: point or comma.
class FieldMarks {
 public:
  /// Determines the decimal marks from the cells of a file. If `format.decimal` is set,
  /// `format.decimal` is used instead.
  FieldMarks(std::string_view text, const MappedFormat& format);

  DecimalMark mark_of(const std::string& field) const;

 private:
  struct Shown {
    bool point = false;
    bool comma = false;
  };
  DecimalMark only(const Shown& shown) const;
  void look_at_fractions(std::string_view text);

  DecimalMark stated_;
  DecimalMark fallback_ = DecimalMark::point;  ///< mark for files whose numbers show no mark
  std::map<std::string, Shown> fields_;
  Shown file_;
};

/// Reads the number in a cell, converts it to the base unit of the measure, and multiplies it by
/// `factor`. Returns an error message with the name of the field, or an empty text on success. If
/// `resolution` is not null, it becomes one unit of the last printed digit in the same base unit.
std::string read_measure(Measure measure, std::string_view text, DecimalMark mark, double factor,
                         double& value, double* resolution = nullptr);

/// For an axis that counts, such as gpus or global_batch, returns the plain count of a cell such as
/// "1,024" or "8 GPUs", and returns an empty text for a blank cell. Returns any other text, and the
/// values of any other axis, unchanged.
std::string axis_text(const std::string& axis, const std::string& text, DecimalMark mark);

}  // namespace dlscale::analysis
