// SPDX-License-Identifier: Apache-2.0
// Finds out whether a program counts its epochs from 0 or from 1, from the numbers in its log.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace dlscale::analysis {

/// Numbers of epochs that the rows of a log state. Records count epochs from 0, but many programs
/// print their first epoch as number 1.
class EpochNumbers {
 public:
  /// Adds the number of a row. `is_evaluation` is true if the row has only results of an
  /// evaluation. Some programs evaluate only every few epochs, or once before the first epoch.
  void add(std::int64_t number, bool is_evaluation) {
    (is_evaluation ? evaluated_ : trained_).insert(number);
  }

  /// Returns the number of the first epoch of the program, 0 or 1. `epochs` is the number of epochs
  /// of the whole training, or 0 if it is unknown. The result is empty if the numbers do not show
  /// how the program counts. This is the case for the log of a training that was resumed in a later
  /// epoch.
  std::optional<int> first_number(std::int64_t epochs) const;

  /// Returns the smallest number if the rows have several numbers.
  std::optional<std::int64_t> smallest_of_several() const;

 private:
  std::set<std::int64_t> all() const;

  std::set<std::int64_t> trained_, evaluated_;
};

}  // namespace dlscale::analysis
