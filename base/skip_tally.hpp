// SPDX-License-Identifier: Apache-2.0
// Counts of what a command skipped, by reason, each with one example.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dlscale::base {

struct Skip {
  std::string noun;  ///< singular: "file", "line"
  std::string why;
  std::string example;
  std::int64_t count = 1;
  std::string kind = {};  ///< skips of one kind share a reason; empty: those with the same `why`
};

class SkipTally {
 public:
  /// Which of the skips of a kind gives the reason and the example.
  enum class Example {
    first,
    smallest,  ///< by text, for skips that are found in any order
  };
  SkipTally() = default;
  explicit SkipTally(Example example) : example_(example) {}

  void add(Skip skip);
  bool empty() const { return reasons_.empty(); }
  std::int64_t total() const;
  /// One for each reason, in the order in which the reasons first occurred.
  const std::vector<Skip>& reasons() const { return reasons_; }

 private:
  Example example_ = Example::first;
  std::vector<Skip> reasons_;
  std::unordered_map<std::string, std::size_t> places_;  ///< in `reasons_`, by noun and kind
};

/// Returns `why` with "#" in place of each number and of each text in double quotes: what
/// "has 2 of 3 columns" and "has 1 of 3 columns" have in common.
std::string general_reason(std::string_view why);

/// Returns one line for each reason: "Skipped 3 files: WHY; example: EXAMPLE\n".
std::string describe_skipped(const SkipTally& tally);

}  // namespace dlscale::base
