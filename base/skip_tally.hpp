// SPDX-License-Identifier: Apache-2.0
// Counts the items that a command skipped, by reason and with one example for each reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dlscale::base {

struct Skip {
  std::string noun;  ///< singular noun: "file", "line"
  std::string why;
  std::string example;
  std::int64_t count = 1;
  std::string kind = {};  ///< group that is reported as one reason; empty = grouped by `why`
};

class SkipTally {
 public:
  /// Rule that selects the skip whose reason and example are reported for a group of skips.
  enum class Example {
    first,
    smallest,  ///< skip with the alphabetically first example
  };
  SkipTally() = default;
  explicit SkipTally(Example example) : example_(example) {}

  void add(Skip skip);
  bool empty() const { return reasons_.empty(); }
  std::int64_t total() const;
  /// Returns one entry for each reason, in the order in which the reasons first occurred.
  const std::vector<Skip>& reasons() const { return reasons_; }

 private:
  Example example_ = Example::first;
  std::vector<Skip> reasons_;
  std::unordered_map<std::string, std::size_t> places_;  ///< index in `reasons_` by noun and group
};

/// Returns `why` with "#" in place of each number and of each text in double quotes, so that "has 2
/// of 3 columns" and "has 1 of 3 columns" become equal.
std::string general_reason(std::string_view why);

/// Returns one line for each reason: "Skipped 3 files: WHY; example: EXAMPLE\n".
std::string describe_skipped(const SkipTally& tally);

}  // namespace dlscale::base
