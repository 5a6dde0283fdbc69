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
  std::string kind = {};  ///< group of skips that share a reason; empty: skips with the same `why`
};

class SkipTally {
 public:
  /// Selection of the skip that provides the reason and the example of its kind.
  enum class Example {
    first,
    smallest,  ///< smallest by text, for skips that are found in any order
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
  std::unordered_map<std::string, std::size_t> places_;  ///< index in `reasons_` by noun and kind
};

/// Returns `why` with "#" in place of each number and of each text in double quotes, so that "has 2
/// of 3 columns" and "has 1 of 3 columns" become equal.
std::string general_reason(std::string_view why);

/// Returns one line for each reason: "Skipped 3 files: WHY; example: EXAMPLE\n".
std::string describe_skipped(const SkipTally& tally);

}  // namespace dlscale::base
