// SPDX-License-Identifier: Apache-2.0
// Which axes of a publication tell its curves apart, and which come along with the number of GPUs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

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
