// SPDX-License-Identifier: Apache-2.0
#include "analysis/cells/number_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr char kPlusMinus = '\x01';
constexpr char kFootnote = '\x02';

/// Characters and LaTeX commands that tables contain next to numbers, and their ASCII replacements.
/// "\x01" stands for ± and "\x02" for any footnote mark.
constexpr std::pair<std::string_view, std::string_view> kCharacters[] = {
    {"\u00A0", " "},    {"\u2009", " "},    {"\u202F", " "},    {"\u2007", " "},
    {"\u2008", " "},    {"\u2212", "-"},    {"\u2019", "'"},    {"\u02BC", "'"},
    {"\u00D7", "x"},    {"\u2248", "~"},    {"\u223C", "~"},    {"\u2243", "~"},
    {"\u2264", "<="},   {"\u2265", ">="},   {"\u00B5", "u"},    {"\u03BC", "u"},
    {"\u00B1", "\x01"}, {"+/-", "\x01"},    {"+-", "\x01"},     {"\\pm", "\x01"},
    {"\\times", "x"},   {"\\%", "%"},       {"\u2020", "\x02"}, {"\u2021", "\x02"},
    {"\u00A7", "\x02"}, {"\u00B6", "\x02"}, {"\u00B9", "\x02"}, {"\u00B2", "\x02"},
    {"\u00B3", "\x02"}, {"\u2070", "\x02"}, {"\u2074", "\x02"}, {"\u2075", "\x02"},
    {"\u2076", "\x02"}, {"\u2077", "\x02"}, {"\u2078", "\x02"}, {"\u2079", "\x02"},
    {"\u1D43", "\x02"}, {"\u1D47", "\x02"}, {"\u1D9C", "\x02"}, {"\u00AA", "\x02"},
};

std::string plain_characters(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const found =
        std::find_if(std::begin(kCharacters), std::end(kCharacters),
                     [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    if (found == std::end(kCharacters)) {
      plain += text[at++];
    } else {
      plain += found->second;
      at += found->first.size();
    }
  }
  return plain;
}

/// Removes markup around the whole cell ("**980**", "_980_", "`980`", "$980$") and footnote marks
/// before the number.
std::string_view without_emphasis(std::string_view text) {
  text = base::trimmed(text);
  while (text.size() > 2 && text.front() == text.back() &&
         std::string_view("*_`$").find(text.front()) != std::string_view::npos) {
    text = base::trimmed(text.substr(1, text.size() - 2));
  }
  while (!text.empty() && (text.front() == kFootnote || text.front() == '*')) {
    text = base::trimmed(text.substr(1));
  }
  return text;
}

constexpr std::pair<std::string_view, std::string_view> kRelations[] = {
    {"<=", "<="},     {">=", ">="}, {"<", "<"},      {">", ">"},       {"~", "~"},
    {"approx.", "~"}, {"ca.", "~"}, {"about ", "~"}, {"approx ", "~"}, {"ca ", "~"}};

void take_relation(std::string_view& text, NumberCell& cell) {
  for (const auto& [sign, relation] : kRelations) {
    if (!text.starts_with(sign)) continue;
    cell.relation = relation;
    text = base::trimmed(text.substr(sign.size()));
    return;
  }
}

/// Returns true if a remark in brackets contains only numbers that describe the spread of the
/// value, such as "5", "±5", "970, 990", "1.94x", "n=3" or "sd 5".
bool is_spread(std::string_view remark) {
  for (const std::string_view name : {"n", "sd", "std", "SD"}) {
    if (!remark.starts_with(name)) continue;
    remark.remove_prefix(name.size());
    break;
  }
  const bool has_digit = std::any_of(remark.begin(), remark.end(),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  return has_digit && remark.find_first_not_of("0123456789.,'%x=-+~ \x01") == remark.npos;
}

bool is_unit(std::string_view remark) {
  return !remark.empty() && std::all_of(remark.begin(), remark.end(), [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '/' || c == '%';
  });
}

/// Parser of the text that follows the number in a cell. That text can contain a unit, spreads,
/// remarks in brackets and footnote marks.
class Remainder {
 public:
  Remainder(std::string_view rest, NumberCell& cell) : rest_(rest), cell_(cell) {}

  void read() {
    while (cell_.problem.empty() && !(rest_ = base::trimmed(rest_)).empty()) {
      const char first = rest_.front();
      if (first == kFootnote || first == '*') {
        rest_.remove_prefix(1);
      } else if (first == kPlusMinus) {
        take_spread();
      } else if (first == '(' || first == '[') {
        take_brackets(first == '(' ? ')' : ']');
      } else if (rest_ == "+") {
        cell_.relation = ">=";
        rest_ = {};
      } else {
        take_unit();
      }
    }
  }

 private:
  void take_spread() {
    rest_ = base::trimmed(rest_.substr(1));
    const PrintedDigits spread = read_digits(rest_, DecimalMark::point, false);
    if (spread.length == 0) cell_.problem = "has no number after \"±\"";
    rest_.remove_prefix(spread.length);
  }

  void take_brackets(char closing) {
    const std::size_t end = rest_.find(closing);
    if (end == rest_.npos) {
      cell_.problem = "has an unclosed bracket";
      return;
    }
    const std::string_view remark = base::trimmed(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    // A footnote mark such as "[1]", "[a]" or "[^1]".
    const bool is_note = closing == ']' && remark.size() <= 3;
    if (is_note || is_spread(remark)) return;
    if (closing == ')' && is_unit(remark) && cell_.unit.empty()) {
      cell_.unit = remark;
    } else {
      cell_.problem = "contains text besides the number";
    }
  }

  void take_unit() {
    const std::size_t end = std::min(rest_.find_first_of("([*\x01\x02"), rest_.size());
    const std::string_view unit = base::trimmed(rest_.substr(0, end));
    const bool has_digit =
        std::any_of(unit.begin(), unit.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!cell_.unit.empty() || has_digit || unit.empty()) {
      cell_.problem = "contains more than one number";
      return;
    }
    cell_.unit = unit;
    rest_.remove_prefix(end);
  }

  std::string_view rest_;
  NumberCell& cell_;
};

}  // namespace

NumberCell read_number_cell(std::string_view text, DecimalMark mark, bool whole) {
  NumberCell cell;
  const std::string plain = plain_characters(text);
  std::string_view rest = without_emphasis(plain);
  take_relation(rest, cell);
  const PrintedDigits digits = read_digits(rest, mark, whole);
  if (digits.length == 0) {
    cell.problem = "is not a number";
    return cell;
  }
  cell.problem = digits.problem;
  cell.is_ambiguous = digits.is_ambiguous;
  const auto [end, error] =
      std::from_chars(digits.plain.data(), digits.plain.data() + digits.plain.size(), cell.value);
  if (error != std::errc{} || !std::isfinite(cell.value)) cell.problem = "is not a number";
  cell.half_place = 0.5 * std::pow(10.0, -digits.decimals);
  rest.remove_prefix(digits.length);
  if (digits.plain == "10" && rest.starts_with(kFootnote)) {
    cell.problem = "is ambiguous: it can be a power of ten or a number with a footnote mark";
  }
  Remainder(rest, cell).read();
  return cell;
}

DecimalMark decimal_mark_of(std::string_view text) {
  NumberCell cell;
  const std::string plain = plain_characters(text);
  std::string_view rest = without_emphasis(plain);
  take_relation(rest, cell);
  const PrintedDigits digits = read_digits(rest, DecimalMark::unknown, false);
  return digits.length > 0 ? digits.shown : DecimalMark::unknown;
}

bool is_blank_cell(std::string_view text) {
  constexpr std::array<std::string_view, 13> kBlanks{"",  "-",   "--",   "---", "–",    "—",   "/",
                                                     ".", "n/a", "n.a.", "na",  "none", "null"};
  const std::string word = base::lower(base::trimmed(text));
  return std::find(kBlanks.begin(), kBlanks.end(), word) != kBlanks.end();
}

// Both "," and "." are decimal marks in some countries and separators between thousands in others.
// Three rules resolve most numbers: a mark that occurs twice separates thousands, the last of two
// different marks is the decimal mark, and a group between separators has three digits. Only a
// single mark before three digits, as in "1,024", remains ambiguous. For this case the caller
// passes the decimal mark of the file.

namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && base::is_digit(text[end])) ++end;
  return end - at;
}

/// Groups of digits of a number, and the marks between these groups.
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

/// Meaning of the last mark ("," or ".") of a number. `is_decimal` is true if the last mark is the
/// decimal mark. `shown` is the decimal mark of the file, if this number shows it.
struct LastMark {
  bool is_decimal = false;
  DecimalMark shown = DecimalMark::unknown;
  std::string problem;
};

/// Decides the meaning of a single mark before three digits, as in "1,024".
LastMark judge_ambiguous(const Runs& runs, DecimalMark mark, bool whole) {
  const char last = runs.marks.back();
  const bool is_stated = mark == DecimalMark::point || mark == DecimalMark::comma;
  if (is_stated) return {mark == mark_named(last), DecimalMark::unknown, ""};
  if (last == '.' && mark == DecimalMark::unknown) return {true, DecimalMark::unknown, ""};
  if (whole && runs.digits[1] != "000") return {false, DecimalMark::unknown, ""};
  return {false, DecimalMark::unknown,
          fmt::format("is ambiguous: its {0} can be a decimal {0} or a separator of thousands, "
                      "and no other number of the file shows which of the two it is",
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

/// Reads an exponent such as "e-3" at position `at` and appends it to `number`.
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
    ++number.length;  // a number such as "5." ends with a point
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
    number.problem = "has separators between digits that do not form groups of three";
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
