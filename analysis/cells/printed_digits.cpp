// SPDX-License-Identifier: Apache-2.0
//
// "," and "." are each a decimal mark in some countries and a mark between groups of thousands in
// others. Most numbers show which: a mark that occurs twice parts groups, the last of two different
// marks stands before decimals, and a group has three digits. Only one mark before three digits
// ("1,024") can be both; the caller says which mark the file uses.
#include "analysis/cells/printed_digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace dlscale::analysis {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

/// Runs of digits and the marks between them.
struct Runs {
  std::vector<std::string_view> digits;
  std::string marks;
  std::size_t length = 0;
};

Runs runs_at(std::string_view text, std::size_t at) {
  Runs runs;
  std::size_t size = digits_at(text, at);
  runs.digits.push_back(text.substr(at, size));
  at += size;
  while (at < text.size()) {
    const char mark = text[at];
    size = digits_at(text, at + 1);
    const bool is_group = size == 3;
    const bool goes_on = mark == '.' || mark == ',' ? size > 0 : is_group;
    if (std::string_view(".,'_ ").find(mark) == std::string_view::npos || !goes_on) break;
    runs.marks += mark;
    runs.digits.push_back(text.substr(at + 1, size));
    at += 1 + size;
  }
  runs.length = at;
  return runs;
}

bool are_groups(const Runs& runs, std::size_t count) {
  if (runs.digits[0].empty() || runs.digits[0].size() > 3) return false;
  return std::all_of(runs.digits.begin() + 1,
                     runs.digits.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::string_view group) { return group.size() == 3; });
}

DecimalMark mark_named(char mark) {
  return mark == ',' ? DecimalMark::comma : DecimalMark::point;
}

DecimalMark other_mark(char mark) {
  return mark == ',' ? DecimalMark::point : DecimalMark::comma;
}

/// Whether the last mark of the number stands before decimals.
struct LastMark {
  bool is_decimal = false;
  DecimalMark shown = DecimalMark::unknown;
  std::string problem;
};

/// Of one mark before three digits.
LastMark judge_ambiguous(const Runs& runs, DecimalMark mark, bool whole) {
  const char last = runs.marks.back();
  const bool is_stated = mark == DecimalMark::point || mark == DecimalMark::comma;
  if (is_stated) return {mark == mark_named(last), DecimalMark::unknown, ""};
  if (last == '.' && mark == DecimalMark::unknown) return {true, DecimalMark::unknown, ""};
  if (whole && runs.digits[1] != "000") return {false, DecimalMark::unknown, ""};
  return {false, DecimalMark::unknown,
          fmt::format("has a decimal {0} or a {0} between thousands, and no other number of the "
                      "file shows which",
                      last == ',' ? "comma" : "point")};
}

LastMark judge_last_mark(const Runs& runs, DecimalMark mark, bool whole) {
  if (runs.marks.empty()) return {};
  const char last = runs.marks.back(), first = runs.marks.front();
  const bool is_mark = last == '.' || last == ',';
  const auto count =
      static_cast<std::size_t>(std::count(runs.marks.begin(), runs.marks.end(), last));
  if (!is_mark) return {};
  if (count > 1) return {false, other_mark(last), ""};
  if (first != last) return {true, mark_named(last), ""};
  const std::string_view before = runs.digits[0], behind = runs.digits[1];
  const bool may_be_group =
      behind.size() == 3 && !before.empty() && before.size() <= 3 && before[0] != '0';
  return may_be_group ? judge_ambiguous(runs, mark, whole) : LastMark{true, mark_named(last), ""};
}

/// Appends "e-3" where it stands at `at`.
void take_exponent(std::string_view text, std::size_t at, PrintedDigits& number) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return;
  std::size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '-' || text[digits] == '+')) ++digits;
  const std::size_t size = digits_at(text, digits);
  if (size == 0 || size > 3) return;
  int exponent = 0;
  std::from_chars(text.data() + digits, text.data() + digits + size, exponent);
  if (text[at + 1] == '-') exponent = -exponent;
  number.plain += "e" + std::to_string(exponent);
  number.decimals -= exponent;
  number.length = digits + size;
}

}  // namespace

PrintedDigits read_digits(std::string_view text, DecimalMark mark, bool whole) {
  PrintedDigits number;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') number.plain = "-";
    at = 1;
  }
  const Runs runs = runs_at(text, at);
  if (runs.digits[0].empty() && (runs.marks.empty() || runs.marks[0] != '.')) return number;
  number.length = runs.length;
  if (number.length < text.size() && text[number.length] == '.' && runs.marks.empty()) {
    ++number.length;  // "5."
  }
  const LastMark last = judge_last_mark(runs, mark, whole);
  number.shown = last.shown;
  number.problem = last.problem;
  number.is_ambiguous = !last.problem.empty();
  const std::size_t groups = runs.digits.size() - (last.is_decimal ? 1 : 0);
  const bool one_kind =
      groups < 3 ||
      std::all_of(runs.marks.begin(), runs.marks.begin() + static_cast<std::ptrdiff_t>(groups) - 1,
                  [&](char c) { return c == runs.marks[0]; });
  if (groups > 1 && (!are_groups(runs, groups) || !one_kind)) {
    number.problem = "has marks between digits that part no groups of three";
    number.shown = DecimalMark::unknown;
  }
  for (std::size_t i = 0; i < groups; ++i) number.plain += runs.digits[i];
  if (last.is_decimal) {
    number.plain += "." + std::string(runs.digits.back());
    number.decimals = static_cast<int>(runs.digits.back().size());
  }
  take_exponent(text, number.length, number);
  return number;
}

}  // namespace dlscale::analysis
