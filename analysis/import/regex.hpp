// SPDX-License-Identifier: Apache-2.0
// Regular expressions that users write, in Perl's syntax (PCRE2, compiled to machine code).
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
  /// Throws base::UsageError that names the expression and the place of its mistake.
  explicit Regex(const std::string& expression);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// Groups in brackets, the whole match not counted.
  int groups() const;
  /// Named groups with their numbers.
  std::vector<std::pair<std::string, int>> names() const;

  enum class Found {
    no,
    yes,
    gave_up,  ///< it would have taken too long: nested repetitions
  };
  /// The first match anywhere in the text; `groups` then has the whole match and each group, empty
  /// where a group took no part.
  Found find(std::string_view text, std::vector<std::string_view>& groups) const;
  /// Likewise the last of the matches that follow each other from the left without overlapping; an
  /// empty one only where there is no other.
  Found find_last(std::string_view text, std::vector<std::string_view>& groups) const;

 private:
  struct Compiled;
  /// `from` is where the match is looked for, and behind it when one was found; ^ and look-behind
  /// see what is before it.
  Found find_from(std::string_view text, std::size_t& from,
                  std::vector<std::string_view>& groups) const;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace dlscale::analysis
