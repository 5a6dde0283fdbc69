// SPDX-License-Identifier: Apache-2.0
// Determines which axis values a published statement covers, and which axes distinguish the curves
// of a publication.
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

/// A cell in the syntax of tables: `ddp`, `ddp|horovod` (each of them), `?ddp|horovod` (one of
/// them, unclear which), `*` (all), `<=256`, `>512`, `4..64`; empty: not stated.
class AxisCell {
 public:
  explicit AxisCell(std::string_view text);

  /// Returns whether the text leaves open which of several values it means.
  bool is_unsaid() const { return unsaid_; }
  /// Returns the only value, if it is a number.
  std::optional<double> number() const;
  /// Returns whether both may mean a common value.
  bool meets(const AxisCell& other) const;
  /// Returns whether it covers every value that `other` may mean.
  bool contains(const AxisCell& other) const;

 private:
  bool has(const std::string& word) const;

  bool any_ = false;
  bool unsaid_ = false;
  bool range_ = false;
  double low_ = 0;
  double high_ = 0;
  std::vector<std::string> words_;  // normalised: lower case, without space, - and _
};

/// Normalises names: "ResNet-50" and "resnet50" are equal.
std::string comparable(std::string_view name);

// Axes that distinguish the curves of a publication, and axes that depend on the number of GPUs.

/// A value and its position on the axis of a curve.
struct PlacedValue {
  double at = 0;
  const Published* value = nullptr;
};

class AxisRoles {
 public:
  AxisRoles(const std::vector<PlacedValue>& values, const std::string& axis);

  /// Returns the axes that distinguish the curve of a value from others. Throws nothing.
  std::map<std::string, std::string> curve_of(const PlacedValue& placed) const;

 private:
  /// How an axis depends on the count: unchanged, as its share per GPU, or as its sum over the
  /// GPUs.
  enum class Form { plain, per_count, times_count };

  void find_conditions(const std::vector<PlacedValue>& values);
  void find_forms(const std::vector<PlacedValue>& values);
  std::size_t curves_with(const std::vector<PlacedValue>& values, const std::string& name,
                          Form form);

  std::string axis_;
  std::set<std::string> conditions_;  ///< axes that depend on the count
  std::map<std::string, Form> forms_;
};

}  // namespace dlscale::analysis
