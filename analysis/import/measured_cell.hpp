// SPDX-License-Identifier: Apache-2.0
// Cells of tables as the numbers that their fields need: units are converted or rejected.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "analysis/cells/number_cell.hpp"
#include "analysis/import/mapped_format.hpp"

namespace dlscale::analysis {

/// How the numbers of a file are written, by field.
class FieldMarks {
 public:
  /// Looks for decimal marks in the cells of a file. `format.decimal` decides where it is given.
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
  DecimalMark fallback_ = DecimalMark::point;  ///< where no number of the file shows its mark
  std::map<std::string, Shown> fields_;
  Shown file_;
};

/// Reads a cell of a measure in its base unit, multiplied by `factor`. Returns what is wrong, with
/// the field's name, or nothing.
std::string read_measure(Measure measure, std::string_view text, DecimalMark mark, double factor,
                         double& value);

/// "1,024" and "8 GPUs" as the plain counts of axes such as gpus and global_batch; other texts, and
/// values of other axes, as they are. Blank cells of counts are empty.
std::string axis_text(const std::string& axis, const std::string& text, DecimalMark mark);

}  // namespace dlscale::analysis
