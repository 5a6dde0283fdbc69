// SPDX-License-Identifier: Apache-2.0
// Parses the axis cells of published tables and determines which axes distinguish the scaling
// curves of a publication. An axis is a setting of an experiment, such as gpus or framework.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

// Axis values of a published statement.

/// Values of one axis to which a published statement applies, parsed from a table cell:
/// - `ddp`: one value
/// - `ddp|horovod`: each of these values
/// - `?ddp|horovod`: one of these values, but the publication leaves open which one
/// - `*`: all values
/// - `<=256`, `>512`, `4..64`: a range of numbers
/// - empty: the publication does not state the value
class AxisCell {
 public:
  explicit AxisCell(std::string_view text);

  /// Returns true if the publication leaves open which value is meant: the cell is empty or begins
  /// with `?`.
  bool is_unsaid() const { return unsaid_; }
  /// Returns the number if the cell states exactly one value and this value is a number. Otherwise
  /// returns nothing.
  std::optional<double> number() const;
  /// Returns true if at least one value is covered by both cells.
  bool meets(const AxisCell& other) const;
  /// Returns true if this cell covers every value that `other` covers.
  bool contains(const AxisCell& other) const;

 private:
  bool has(const std::string& word) const;

  bool any_ = false;
  bool unsaid_ = false;
  bool range_ = false;
  double low_ = 0;
  double high_ = 0;
  std::vector<std::string> words_;  // names in the form that comparable() returns
};

/// Returns a name in lower case without blanks, hyphens and underscores, so that "ResNet-50" and
/// "resnet50" compare equal.
std::string comparable(std::string_view name);

// Axes that distinguish the curves of a publication, and axes that depend on the number of GPUs.

/// Published value and its position on the axis along which its curve runs.
struct PlacedValue {
  double at = 0;
  const Published* value = nullptr;
};

class AxisRoles {
 public:
  AxisRoles(const std::vector<PlacedValue>& values, const std::string& axis);

  /// Returns the axes and cells that identify the curve of a value. Values with equal axes and
  /// cells lie on the same curve. Throws nothing.
  std::map<std::string, std::string> curve_of(const PlacedValue& placed) const;

 private:
  /// Expression that is constant along a curve: the number on an axis (plain), the number divided
  /// by the GPU count (per_count), or the number multiplied by the GPU count (times_count).
  enum class Form { plain, per_count, times_count };

  void find_conditions(const std::vector<PlacedValue>& values);
  void find_forms(const std::vector<PlacedValue>& values);
  std::size_t curves_with(const std::vector<PlacedValue>& values, const std::string& name,
                          Form form);

  std::string axis_;
  std::set<std::string> conditions_;  ///< condition axes that do not distinguish curves
  std::map<std::string, Form> forms_;
};

}  // namespace dlscale::analysis
