// SPDX-License-Identifier: Apache-2.0
// Regular expressions written by users, in Perl syntax (PCRE2, compiled to machine code).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscale::analysis {

class Regex {
 public:
  /// Compiles an expression. Throws base::UsageError with the expression and the position of the
  /// error.
  explicit Regex(const std::string& expression);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// Returns the number of capture groups. Group 0, the whole match, does not count.
  int groups() const;
  /// Returns the named groups with their numbers.
  std::vector<std::pair<std::string, int>> names() const;

  enum class MatchResult {
    no,
    yes,
    gave_up,  ///< the match limit was reached, for example because of nested repetitions
  };
  /// Finds the first match in the text. `groups` receives the whole match and each group. Groups
  /// that did not take part in the match are empty.
  MatchResult find(std::string_view text, std::vector<std::string_view>& groups) const;
  /// Finds the last of the non-overlapping matches from left to right. `groups` receives the same
  /// values as in find(). An empty match is used only if every match is empty.
  MatchResult find_last(std::string_view text, std::vector<std::string_view>& groups) const;
  /// Returns the number of non-overlapping matches.
  int count(std::string_view text) const;

 private:
  struct Compiled;
  /// Searches for a match from position `from` and moves `from` to the end of the match. The anchor
  /// ^ and look-behind assertions still take the text before `from` into account.
  MatchResult find_from(std::string_view text, std::size_t& from,
                        std::vector<std::string_view>& groups) const;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace dlscale::analysis
