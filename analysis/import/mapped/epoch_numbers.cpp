// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/epoch_numbers.hpp"

#include <iterator>

namespace dlscale::analysis {

std::set<std::int64_t> EpochNumbers::all() const {
  std::set<std::int64_t> numbers = trained_;
  numbers.insert(evaluated_.begin(), evaluated_.end());
  return numbers;
}

std::optional<int> EpochNumbers::first_number(std::int64_t epochs) const {
  const std::set<std::int64_t> numbers = all();
  if (numbers.empty()) return std::nullopt;
  if (trained_.contains(0)) return 0;
  // The last epoch of a program that counts from 0 has the number epochs - 1.
  if (epochs > 0 && *numbers.rbegin() == epochs) return 1;
  if (*numbers.begin() == 0) return 0;
  if (*numbers.begin() > 1) return std::nullopt;
  // Evaluations of every second epoch have the numbers 1, 3, 5, … if the program counts from 0.
  const bool may_leave_out_epochs = trained_.empty() && numbers.size() > 1;
  if (may_leave_out_epochs && *std::next(numbers.begin()) > 2) return std::nullopt;
  return 1;
}

std::optional<std::int64_t> EpochNumbers::smallest_of_several() const {
  const std::set<std::int64_t> numbers = all();
  return numbers.size() > 1 ? std::optional(*numbers.begin()) : std::nullopt;
}

}  // namespace dlscale::analysis
