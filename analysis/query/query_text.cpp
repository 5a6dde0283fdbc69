// SPDX-License-Identifier: Apache-2.0
#include "analysis/query/query_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "analysis/query/query_condition.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {
namespace {

using analysis::Aggregate;

/// Words that begin a part of a query.
const std::vector<std::string> kClauses{"by", "where", "sort", "limit"};

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

class QueryParser {
 public:
  QueryParser(const std::string& text, const std::vector<analysis::RunColumn>& columns,
              const analysis::Frame& frame)
      : text_(text), columns_(columns), frame_(frame) {}

  analysis::Query parse() {
    do {
      query_.shown.push_back(aggregate());
    } while (accept(','));
    while (!at_end()) clause();
    check_sort();
    return std::move(query_);
  }

 private:
  void clause() {
    const std::size_t start = at_;
    const std::string name = word();
    if (name.empty()) fail("expected , or by, where, sort by, limit, or the end", start);
    if (std::find(kClauses.begin(), kClauses.end(), name) == kClauses.end()) {
      fail(unknown("part", name, kClauses), start);
    }
    if (!seen_.insert(name).second) fail(name + " stands here for the second time", start);
    if (name == "by") return group();
    if (name == "where") return condition();
    if (name == "sort") return sort();
    limit();
  }

  Aggregate aggregate() {
    const std::size_t start = skip_space();
    const std::string function = word();
    if (function.empty()) fail("expected a function such as median(samples_per_s)", start);
    const bool called = peek() == '(';
    check_function(function, called, start);
    ++at_;
    const std::size_t place = skip_space();
    const std::string column = word();
    if (!accept(')')) fail("expected )", skip_space());
    if (function == "count") {
      if (!column.empty()) fail("count() takes no column: it counts runs", place);
      return {function, ""};
    }
    if (column.empty()) fail(fmt::format("{} of which column?", function), place);
    const std::string refused = analysis::refusal(function, known_column(column, place));
    if (!refused.empty()) fail(refused, start);
    return {function, column};
  }

  void check_function(const std::string& name, bool called, std::size_t start) const {
    std::vector<std::string> known;
    for (const auto& function : analysis::aggregate_functions()) known.emplace_back(function.name);
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (is_known && called) return;
    if (called) fail(unknown("function", name, known), start);
    const bool is_column = analysis::find_column(columns_, name) != nullptr;
    fail(is_column ? fmt::format("{} of how many runs? Say which, as median({}) or max({})", name,
                                 name, name)
                   : fmt::format("expected ( after \"{}\" (functions: {})",
                                 config::excerpt(name, 0), fmt::join(known, ", ")),
         start);
  }

  void group() {
    do {
      const std::size_t start = skip_space();
      const std::string column = word();
      if (column.empty()) fail("expected the name of a column", start);
      known_column(column, start);
      query_.by.push_back(column);
    } while (accept(','));
  }

  /// To the next part of the query outside quotes.
  void condition() {
    const std::size_t start = skip_space();
    char quote = '\0';
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (clause_begins()) {
        break;
      }
    }
    std::string text = text_.substr(start, at_ - start);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
      text.pop_back();
    }
    if (text.empty()) fail("the condition is empty", start);
    query_.where = query_condition(text, columns_, frame_);
  }
  bool clause_begins() const {
    if (is_of_word(text_[at_ - 1]) || !is_of_word(text_[at_])) return false;
    const std::string next = word_at(at_);
    return std::find(kClauses.begin(), kClauses.end(), next) != kClauses.end();
  }

  void sort() {
    const std::size_t start = skip_space();
    if (word() != "by") fail("expected by after sort", start);
    sort_at_ = skip_space();
    const std::string name = word_at(at_);
    if (name.empty()) fail("expected what to sort by", sort_at_);
    at_ += name.size();
    query_.sort_by = name;
    if (peek() == '(') {
      at_ = sort_at_;
      query_.sort_by = to_string(aggregate());
    }
    skip_space();
    const std::string direction = word_at(at_);
    if (direction != "desc" && direction != "asc") return;
    at_ += direction.size();
    query_.descending = direction == "desc";
  }

  void check_sort() const {
    if (query_.sort_by.empty()) return;
    std::vector<std::string> known = query_.by;
    for (const Aggregate& one : query_.shown) known.push_back(to_string(one));
    if (std::find(known.begin(), known.end(), query_.sort_by) != known.end()) return;
    fail("what rows are sorted by must be shown: " + unknown("column", query_.sort_by, known),
         sort_at_);
  }

  void limit() {
    const std::size_t start = skip_space();
    const std::string digits = word();
    query_.limit = base::number_of<std::size_t>(digits).value_or(0);
    if (query_.limit > 0) return;
    fail("limit wants a number of rows", start);
  }

  const analysis::RunColumn& known_column(const std::string& name, std::size_t place) const {
    const analysis::RunColumn* column = analysis::find_column(columns_, name);
    if (column == nullptr) fail(unknown("column", name, names_of(columns_)), place);
    return *column;
  }

  std::size_t skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_;
  }
  bool at_end() { return skip_space() >= text_.size(); }
  char peek() { return at_end() ? '\0' : text_[at_]; }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string word_at(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && is_of_word(text_[end])) ++end;
    return text_.substr(at, end - at);
  }
  std::string word() {
    const std::string found = word_at(skip_space());
    at_ += found.size();
    return found;
  }
  static std::string unknown(const char* kind, const std::string& name,
                             const std::vector<std::string>& known) {
    return base::unknown_name(kind, config::excerpt(name, 0), known);
  }
  [[noreturn]] void fail(const std::string& message, std::size_t at) const {
    const std::string shown = config::excerpt(text_, at);
    throw base::SpecError({"--query"}, "",
                          fmt::format("character {} of '{}': {}", at + 1, shown, message));
  }

  const std::string& text_;
  const std::vector<analysis::RunColumn>& columns_;
  const analysis::Frame& frame_;
  std::size_t at_ = 0;
  std::size_t sort_at_ = 0;
  std::set<std::string> seen_;
  analysis::Query query_;
};

}  // namespace

analysis::Query parse_query(const std::string& text,
                            const std::vector<analysis::RunColumn>& columns,
                            const analysis::Frame& frame) {
  return QueryParser(text, columns, frame).parse();
}

}  // namespace dlscale::analysis
