// SPDX-License-Identifier: Apache-2.0
#include "planner/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/registry.hpp"

namespace dlscale::planner {
namespace {

using Op = Expression::Op;
using Term = Expression::Term;
using Kind = Symbol::Kind;

/// Two-character operators before their one-character beginnings.
constexpr std::pair<std::string_view, Op> kComparisons[] = {
    {"==", Op::equal},    {"!=", Op::unequal}, {"<=", Op::at_most},
    {">=", Op::at_least}, {"<", Op::less},     {">", Op::more},
};
constexpr int kMostNesting = 256;
constexpr const char* kKindNames[] = {"a number", "a text", "true or false"};

class Parser {
 public:
  Parser(const Item& source, const std::vector<Symbol>& symbols)
      : source_(source), text_(source.text()), symbols_(symbols) {}

  std::vector<Term> parse() {
    either();
    if (!at_end()) fail("expected && or || or the end");
    return std::move(terms_);
  }

 private:
  using Index = std::size_t;

  Index either() { return chain("||", Op::either, &Parser::both); }
  Index both() { return chain("&&", Op::both, &Parser::condition); }
  /// One term for the whole chain: a long one is no deeper than a short one.
  Index chain(std::string_view sign, Op op, Index (Parser::*part)()) {
    Term term{op, {(this->*part)()}};
    while (accept(sign)) term.children.push_back((this->*part)());
    return term.children.size() == 1 ? term.children.front() : add(std::move(term));
  }
  Index condition() {
    if (++nesting_ > kMostNesting) fail(fmt::format("nested more than {} deep", kMostNesting));
    const Index inside = plain_condition();
    --nesting_;
    return inside;
  }
  Index plain_condition() {
    if (peek() == '!' && !starts_with("!=")) {
      ++at_;
      return add({Op::negation, {condition()}});
    }
    if (accept("(")) {
      const Index inner = either();
      if (!accept(")")) fail("expected )");
      return inner;
    }
    return comparison();
  }
  Index comparison() {
    skip_space();
    const std::size_t start = at_;
    const Index left = operand();
    if (accept_word("in")) return membership(left);
    for (const auto& [sign, op] : kComparisons) {
      if (!accept(sign)) continue;
      const std::size_t right_start = (skip_space(), at_);
      const Index right = operand();
      const bool ordered = op != Op::equal && op != Op::unequal;
      if (ordered && kind_of(left) != Kind::number) fail("only numbers have an order", start);
      check_comparable(left, right, right_start);
      return add({op, {left, right}});
    }
    if (starts_with("=")) fail("expected ==");
    if (kind_of(left) != Kind::truth) fail("expected a comparison", start);
    return left;
  }
  Index membership(Index left) {
    Term term{Op::in, {left}};
    if (!accept("[")) fail("expected [ after in");
    do {
      skip_space();
      const std::size_t start = at_;
      const Index item = operand();
      check_comparable(left, item, start);
      term.children.push_back(item);
    } while (accept(","));
    if (!accept("]")) fail("expected , or ]");
    return add(std::move(term));
  }

  Index operand() {
    const char next = peek();
    if (next == '"' || next == '\'') return quoted(next);
    if (std::isdigit(static_cast<unsigned char>(next)) || next == '-' || next == '.') {
      return number();
    }
    if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') return name();
    fail(at_end() ? "ends too early" : "expected a name, a number or a text");
  }
  Index quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(fmt::format("no closing {}", quote));
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return add({.constant = std::string(inside)});
  }
  Index number() {
    double value = 0;
    const char* first = text_.data() + at_;
    const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("not a number");
    at_ += static_cast<std::size_t>(stop - first);
    return add({.constant = value});
  }
  Index name() {
    const std::size_t start = at_;
    const std::string word(word_here());
    at_ += word.size();
    if (word == "true" || word == "false") return add({.constant = word == "true"});
    std::vector<std::string> known;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (symbols_[i].name == word) return add({.symbol = static_cast<int>(i)});
      known.push_back(symbols_[i].name);
    }
    fail(base::unknown_name("name", word, known), start);
  }

  Kind kind_of(Index index) const {
    const Term& term = terms_[index];
    return term.symbol >= 0 ? symbols_[term.symbol].kind : static_cast<Kind>(term.constant.index());
  }
  void check_comparable(Index left, Index right, std::size_t right_start) const {
    const auto a = static_cast<int>(kind_of(left)), b = static_cast<int>(kind_of(right));
    if (a != b) {
      fail(fmt::format("cannot compare {} with {}", kKindNames[a], kKindNames[b]), right_start);
    }
    check_choice(terms_[left], terms_[right], right_start);
    check_choice(terms_[right], terms_[left], right_start);
  }
  /// A text that its name can never be is a slip of the pen, not a condition.
  void check_choice(const Term& named, const Term& constant, std::size_t start) const {
    if (named.symbol < 0 || constant.symbol >= 0) return;
    const Symbol& symbol = symbols_[named.symbol];
    const auto* text = std::get_if<std::string>(&constant.constant);
    if (text == nullptr || symbol.choices.empty()) return;
    for (const std::string& choice : symbol.choices) {
      if (choice == *text) return;
    }
    fail(base::unknown_name(symbol.name, *text, symbol.choices), start);
  }

  Index add(Term term) {
    terms_.push_back(std::move(term));
    return terms_.size() - 1;
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() { return skip_space(), at_ >= text_.size(); }
  char peek() { return at_end() ? '\0' : text_[at_]; }
  bool starts_with(std::string_view sign) {
    skip_space();
    return text_.substr(at_, sign.size()) == sign;
  }
  bool accept(std::string_view sign) {
    if (!starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  std::string_view word_here() const {
    std::size_t end = at_;
    const auto in_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    while (end < text_.size() && in_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (word_here() != word) return false;
    at_ += word.size();
    return true;
  }
  [[noreturn]] void fail(std::string_view message) const { fail(message, at_); }
  [[noreturn]] void fail(std::string_view message, std::size_t at) const {
    source_.fail(fmt::format("character {} of '{}': {}", at + 1, text_, message));
  }

  const Item& source_;
  std::string_view text_;
  const std::vector<Symbol>& symbols_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  std::vector<Term> terms_;
};

}  // namespace

Expression::Expression(const Item& source, const std::vector<Symbol>& symbols)
    : terms_(Parser(source, symbols).parse()) {}

bool Expression::holds(std::span<const Value> values) const {
  return holds(terms_.back(), values);
}

const Value& Expression::value_of(const Term& leaf, std::span<const Value> values) const {
  return leaf.symbol >= 0 ? values[static_cast<std::size_t>(leaf.symbol)] : leaf.constant;
}

bool Expression::holds(const Term& term, std::span<const Value> values) const {
  const auto child = [&](std::size_t i) -> const Term& { return terms_[term.children[i]]; };
  const auto value = [&](std::size_t i) -> const Value& { return value_of(child(i), values); };
  const auto holds_at = [&](std::size_t i) { return holds(terms_[i], values); };
  switch (term.op) {
    case Op::either:
      return std::any_of(term.children.begin(), term.children.end(), holds_at);
    case Op::both:
      return std::all_of(term.children.begin(), term.children.end(), holds_at);
    case Op::negation:
      return !holds(child(0), values);
    case Op::equal:
      return value(0) == value(1);
    case Op::unequal:
      return value(0) != value(1);
    case Op::less:
      return value(0) < value(1);
    case Op::at_most:
      return value(0) <= value(1);
    case Op::more:
      return value(0) > value(1);
    case Op::at_least:
      return value(0) >= value(1);
    case Op::in:
      for (std::size_t i = 1; i < term.children.size(); ++i) {
        if (value(0) == value(i)) return true;
      }
      return false;
    case Op::leaf:
      return std::get<bool>(value_of(term, values));
  }
  return false;
}

}  // namespace dlscale::planner
