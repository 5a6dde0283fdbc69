// SPDX-License-Identifier: Apache-2.0
// Which values of which axes a published statement is about, and which axes tell a publication's
// curves apart.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

// Which values of an axis a published statement is about.

/// A cell as tables write it: `ddp`, `ddp|horovod` (each of them), `?ddp|horovod` (one of them, the
/// text does not say which), `*` (all), `<=256`, `>512`, `4..64`; nothing: not said.
class AxisCell {
 public:
  explicit AxisCell(std::string_view text);

  /// The text does not say which of several it means.
  bool is_unsaid() const { return unsaid_; }
  /// The only value it names, if it is a number.
  std::optional<double> number() const;
  /// Some value may be meant by both.
  bool meets(const AxisCell& other) const;
  /// Every value that `other` may mean is meant.
  bool contains(const AxisCell& other) const;

 private:
  bool has(const std::string& word) const;

  bool any_ = false;
  bool unsaid_ = false;
  bool range_ = false;
  double low_ = 0;
  double high_ = 0;
  std::vector<std::string> words_;  // comparable: lower case, without space, - and _
};

/// Names as people write them alike: "ResNet-50" and "resnet50".
std::string comparable(std::string_view name);

// Which axes of a publication tell its curves apart, and which come along with the number of GPUs.

/// A value and where it stands on the axis that curves follow.
struct PlacedValue {
  double at = 0;
  const Published* value = nullptr;
};

class AxisRoles {
 public:
  AxisRoles(const std::vector<PlacedValue>& values, const std::string& axis);

  /// The axes that tell the curve of a value from others. Throws nothing.
  std::map<std::string, std::string> curve_of(const PlacedValue& placed) const;

 private:
  /// How an axis follows the count: as it is, by its share of one GPU, by its sum over the GPUs.
  enum class Form { plain, per_count, times_count };

  void find_conditions(const std::vector<PlacedValue>& values);
  void find_forms(const std::vector<PlacedValue>& values);
  std::size_t curves_with(const std::vector<PlacedValue>& values, const std::string& name,
                          Form form);

  std::string axis_;
  std::set<std::string> conditions_;  ///< they come along
  std::map<std::string, Form> forms_;
};

}  // namespace dlscale::analysis
