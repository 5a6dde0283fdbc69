// SPDX-License-Identifier: Apache-2.0
// Tests of the first and the last match of user-defined regular expressions.
#include "analysis/import/reading/regex.hpp"

#include <catch2/catch.hpp>

namespace dlscale::analysis {
namespace {

/// Returns the text of the capture group in the last match, or "-" if there is no match.
std::string last(const std::string& expression, std::string_view text) {
  std::vector<std::string_view> groups;
  const Regex::MatchResult found = Regex(expression).find_last(text, groups);
  return found == Regex::MatchResult::yes ? std::string(groups.at(1)) : "-";
}

}  // namespace

TEST_CASE("the last match does not overlap with earlier matches") {
  CHECK(last("g(\\d+)", "/home/mg0/g12/g3.log") == "3");
  CHECK(last("(\\d\\d)", "12345") == "34");
  CHECK(last("g(\\d+)", "/home/me") == "-");
  CHECK(last("g(\\d+)", "") == "-");
}

TEST_CASE("anchors and look-behind see the complete text for all matches") {
  CHECK(last("^(a)", "aaa") == "a");
  CHECK(last("^(\\d)", "123") == "1");
  CHECK(last("(?<=a)(b|c)", "abc") == "b");
  CHECK(last("\\b(\\w)", "one two") == "t");
}

TEST_CASE("an empty match at the end of another match is ignored") {
  CHECK(last("([^/]*)$", "logs/run1.csv") == "run1.csv");
  CHECK(last("(\\d*)", "g12/x") == "12");
  CHECK(last("(\\d*)", "none") == "");
  CHECK(last("(?=g(\\d))", "g1/g2") == "2");
}

TEST_CASE("an expression that takes too long is abandoned, in the first and later matches") {
  std::vector<std::string_view> groups;
  const std::string text = "1!" + std::string(60, 'a') + "b";
  CHECK(Regex("(1!)|(?:a+)+$").find(text, groups) == Regex::MatchResult::yes);
  CHECK(Regex("(1!)|(?:a+)+$").find_last(text, groups) == Regex::MatchResult::gave_up);
}

}  // namespace dlscale::analysis
