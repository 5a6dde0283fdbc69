// SPDX-License-Identifier: Apache-2.0
#include "config/expression/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fnmatch.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::config {

std::string excerpt(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 60, kShown = 160;
  if (text.size() <= kShown) return std::string(text);
  const auto is_within = [&](std::size_t i) {  // true for a byte that continues a UTF-8 character
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t begin = at <= kBefore ? 0 : std::min(at, text.size()) - kBefore;
  std::size_t end = std::min(begin + kShown, text.size());
  while (begin > 0 && is_within(begin)) --begin;
  while (is_within(end)) ++end;
  std::string shown(text.substr(begin, end - begin));
  if (begin > 0) shown.insert(0, "…");
  if (end < text.size()) shown += "…";
  return shown;
}

namespace {

using Op = Expression::Op;
using Term = Expression::Term;
using Kind = Symbol::Kind;

std::string shown(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return fmt::format("\"{}\"", std::get<std::string>(value));
}

/// Evaluation of one expression. `get(i)` returns the value of symbol i.
template <class Get>
struct Evaluation {
  const Expression::Source& source;
  const std::vector<Term>& terms;
  const Get& get;
  bool throws = true;  ///< false: a division by zero gives NaN

  const Value& leaf(const Term& term) const {
    return term.op == Op::symbol ? get(term.symbol) : term.constant;
  }
  const Term& child(const Term& term, std::size_t i) const { return terms[term.children[i]]; }

  double number(const Term& term) const {
    switch (term.op) {
      case Op::plus:
        return number(child(term, 0)) + number(child(term, 1));
      case Op::minus:
        return number(child(term, 0)) - number(child(term, 1));
      case Op::times:
        return number(child(term, 0)) * number(child(term, 1));
      case Op::over:
        return number(child(term, 0)) / divisor(term);
      case Op::remainder:
        return std::fmod(number(child(term, 0)), divisor(term));
      case Op::power:
        return std::pow(number(child(term, 0)), number(child(term, 1)));
      case Op::negative:
        return -number(child(term, 0));
      case Op::least:
        return fold(term, [](double a, double b) { return std::fmin(a, b); });
      case Op::largest:
        return fold(term, [](double a, double b) { return std::fmax(a, b); });
      case Op::first_known:
        return fold(term, [](double a, double b) { return std::isnan(a) ? b : a; });
      case Op::round:
        return std::round(number(child(term, 0)));
      case Op::floor:
        return std::floor(number(child(term, 0)));
      case Op::choice:
        if (truth(child(term, 0))) return number(child(term, 1));
        return term.children.size() > 2 ? number(child(term, 2)) : std::nan("");
      case Op::absolute:
        return std::abs(number(child(term, 0)));
      default:
        return std::get<double>(leaf(term));
    }
  }
  template <class Combine>
  double fold(const Term& term, Combine combine) const {
    double value = number(child(term, 0));
    for (std::size_t i = 1; i < term.children.size(); ++i) {
      value = combine(value, number(child(term, i)));
    }
    return value;
  }
  double divisor(const Term& term) const {
    const double value = number(child(term, 1));
    if (value != 0) return value;
    if (throws) source.fail(term.at, "division by zero where " + values_of_names());
    return std::nan("");
  }
  bool equal(const Term& a, const Term& b) const {
    switch (a.kind) {
      case Kind::number:
        return number(a) == number(b);
      case Kind::text:
        return std::get<std::string>(leaf(a)) == std::get<std::string>(leaf(b));
      case Kind::truth:
        return truth(a) == truth(b);
    }
    return false;
  }
  bool ordered(const Term& term) const {
    const double a = number(child(term, 0)), b = number(child(term, 1));
    switch (term.op) {
      case Op::less:
        return a < b;
      case Op::at_most:
        return a <= b;
      case Op::more:
        return a > b;
      default:
        return a >= b;
    }
  }
  bool truth(const Term& term) const {
    const auto holds = [&](std::size_t i) { return truth(terms[i]); };
    switch (term.op) {
      case Op::either:
        return std::any_of(term.children.begin(), term.children.end(), holds);
      case Op::both:
        return std::all_of(term.children.begin(), term.children.end(), holds);
      case Op::negation:
        return !truth(child(term, 0));
      case Op::equal:
        return equal(child(term, 0), child(term, 1));
      case Op::unequal:
        return !equal(child(term, 0), child(term, 1));
      case Op::in:
        return std::any_of(term.children.begin() + 1, term.children.end(),
                           [&](std::size_t i) { return equal(child(term, 0), terms[i]); });
      case Op::matches:
        return ::fnmatch(std::get<std::string>(leaf(child(term, 1))).c_str(),
                         std::get<std::string>(leaf(child(term, 0))).c_str(), 0) == 0;
      case Op::known:
        return std::isfinite(number(child(term, 0)));
      case Op::symbol:
      case Op::constant:
        return std::get<bool>(leaf(term));
      default:
        return ordered(term);
    }
  }
  /// Returns the names that the condition uses, with their values: `a = 1, b = 0`.
  std::string values_of_names() const {
    std::vector<std::string> texts;
    for (const Term& term : terms) {
      if (term.op != Op::symbol) continue;
      std::string text =
          fmt::format("{} = {}", std::get<std::string>(term.constant), shown(get(term.symbol)));
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }
};

template <class Get>
bool evaluate(const Expression::Source& source, const std::vector<Term>& terms, const Get& get) {
  return Evaluation<Get>{source, terms, get}.truth(terms.back());
}

// The following declarations parse a text into its syntax tree.

using Sign = std::pair<std::string_view, Op>;

/// Comparison operators. The parser takes the first operator that matches, so `<=` comes before `<`
/// and `>=` comes before `>`.
constexpr Sign kComparisons[] = {
    {"==", Op::equal},    {"!=", Op::unequal}, {"<=", Op::at_most},
    {">=", Op::at_least}, {"<", Op::less},     {">", Op::more},
};
constexpr Sign kSums[] = {{"+", Op::plus}, {"-", Op::minus}};
constexpr Sign kProducts[] = {{"*", Op::times}, {"/", Op::over}, {"%", Op::remainder}};
constexpr Sign kFunctions[] = {
    {"min", Op::least},   {"max", Op::largest},  {"first", Op::first_known}, {"round", Op::round},
    {"floor", Op::floor}, {"abs", Op::absolute}, {"known", Op::known},       {"if", Op::choice},
};
constexpr int kMostNesting = 256;
constexpr const char* kKindNames[] = {"a number", "a string", "true or false"};

class Parser {
 public:
  Parser(const Expression::Source& source, const std::vector<Symbol>& symbols)
      : source_(source), text_(source.text), symbols_(symbols) {}

  /// Parses a condition. Returns the nodes with children before parents. The last node is the root,
  /// a truth value.
  std::vector<Term> condition() {
    want(either(), Kind::truth, "expected a comparison");
    if (!at_end()) fail("expected &&, || or the end");
    return std::move(terms_);
  }
  /// Parses a condition or a formula, and returns its nodes with children before parents.
  std::vector<Term> condition_or_formula() {
    const Index root = either();
    if (terms_[root].kind == Kind::text) fail("expected a number or a condition", terms_[root].at);
    if (!at_end()) fail("expected an operator or the end");
    return std::move(terms_);
  }
  /// Parses a formula. Returns the nodes with children before parents. The last node is the root, a
  /// number.
  std::vector<Term> formula() {
    want(sum(), Kind::number, "arithmetic requires numbers");
    if (!at_end()) fail("expected + - * / % ^ or the end");
    return std::move(terms_);
  }

 private:
  using Index = std::size_t;

  Index either() { return chain("||", Op::either, &Parser::both); }
  Index both() { return chain("&&", Op::both, &Parser::negation); }
  /// Parses a chain of one operator, such as `a && b && c`, as one term. A long chain then adds no
  /// more levels to the tree than a short chain.
  Index chain(std::string_view sign, Op op, Index (Parser::*part)()) {
    const Index first = (this->*part)();
    if (!starts_with(sign)) return first;
    Term term{.op = op, .children = {first}};
    want(first, Kind::truth, "expected a comparison");
    while (accept(sign)) {
      term.children.push_back((this->*part)());
      want(term.children.back(), Kind::truth, "expected a comparison");
    }
    return add(std::move(term), terms_[first].at);
  }
  Index negation() {
    if (peek() != '!' || starts_with("!=")) return comparison();
    const std::size_t start = at_++;
    const Index inside = deeper(&Parser::negation);
    want(inside, Kind::truth, "expected a comparison");
    return add({.op = Op::negation, .children = {inside}}, start);
  }
  Index comparison() {
    const Index left = sum();
    if (accept_word("in")) return membership(left);
    if (accept_word("matches")) return glob(left);
    const Sign* sign = accept_one(kComparisons);
    if (sign == nullptr) {
      if (starts_with("=")) fail("expected ==");
      return left;
    }
    const Index right = sum();
    const bool ordered = sign->second != Op::equal && sign->second != Op::unequal;
    if (ordered) want(left, Kind::number, "<, <=, > and >= require numbers");
    check_comparable(left, right);
    return add({.op = sign->second, .children = {left, right}}, terms_[left].at);
  }
  Index membership(Index left) {
    Term term{.op = Op::in, .children = {left}};
    if (!accept("[")) fail("expected [ after \"in\"");
    do {
      term.children.push_back(sum());
      check_comparable(left, term.children.back());
    } while (accept(","));
    if (!accept("]")) fail("expected , or ]");
    return add(std::move(term), terms_[left].at);
  }
  Index glob(Index left) {
    want(left, Kind::text, "the left side of \"matches\" must be a string");
    if (peek() != '"' && peek() != '\'') fail("expected a pattern in quotes after \"matches\"");
    const Index pattern = quoted(peek());
    return add({.op = Op::matches, .children = {left, pattern}}, terms_[left].at);
  }

  Index sum() { return arithmetic(kSums, &Parser::product); }
  Index product() { return arithmetic(kProducts, &Parser::factor); }
  template <std::size_t N>
  Index arithmetic(const Sign (&signs)[N], Index (Parser::*part)()) {
    Index left = (this->*part)();
    for (int length = 1; const Sign* sign = accept_one(signs); ++length) {
      if (length > kMostNesting) fail(fmt::format("more than {} operators in a row", kMostNesting));
      const Index right = (this->*part)();
      for (const Index side : {left, right})
        want(side, Kind::number, "arithmetic requires numbers");
      check_divisor(sign->second, right);
      left = add({.op = sign->second, .children = {left, right}, .kind = Kind::number},
                 terms_[left].at);
    }
    return left;
  }
  /// Parses a power. A power binds tighter than a sign before it, and a chain of powers is read
  /// from right to left.
  Index power() {
    const Index base = operand();
    if (!accept("^")) return base;
    const Index exponent = deeper(&Parser::factor);
    for (const Index side : {base, exponent}) {
      want(side, Kind::number, "arithmetic requires numbers");
    }
    return add({.op = Op::power, .children = {base, exponent}, .kind = Kind::number},
               terms_[base].at);
  }
  Index factor() {
    if (peek() != '-') return power();
    const std::size_t start = at_++;
    const Index inside = deeper(&Parser::factor);
    want(inside, Kind::number, "arithmetic requires numbers");
    return add({.op = Op::negative, .children = {inside}, .kind = Kind::number}, start);
  }
  Index operand() {
    const char next = peek();
    if (next == '"' || next == '\'') return quoted(next);
    if (base::is_digit(next) || next == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') return name();
    if (accept("(")) {
      const Index inside = deeper(&Parser::either);
      if (!accept(")")) fail("expected )");
      return inside;
    }
    fail(at_end() ? "the expression ends too early" : "expected a name, a number or a string");
  }
  Index quoted(char quote) {
    const std::size_t start = at_, end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(fmt::format("the closing {} is missing", quote));
    at_ = end + 1;
    return constant(std::string(text_.substr(start + 1, end - start - 1)), start);
  }
  Index number() {
    double value = 0;
    const std::size_t start = at_;
    const char* first = text_.data() + at_;
    const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("not a number");
    at_ += static_cast<std::size_t>(stop - first);
    return constant(value, start);
  }
  Index name() {
    const std::size_t start = at_;
    const std::string word(word_here());
    at_ += word.size();
    if (word == "true" || word == "false") return constant(word == "true", start);
    if (peek() == '(') return call(word, start);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (symbols_[i].name != word) continue;
      return add({.op = Op::symbol, .symbol = i, .constant = word, .kind = symbols_[i].kind},
                 start);
    }
    unknown(word, start);
  }
  /// Parses the arguments of the function `word`. `min`, `max` and `first` have any number of
  /// arguments.
  Index call(const std::string& word, std::size_t start) {
    const Sign* function = nullptr;
    std::vector<std::string> names;
    for (const Sign& one : kFunctions) {
      if (one.first == word) function = &one;
      names.emplace_back(one.first);
    }
    if (function == nullptr) fail(base::unknown_name("function", excerpt(word, 0), names), start);
    if (function->second == Op::choice) return choice(start);
    const bool has_any_number = function->second == Op::least || function->second == Op::largest ||
                                function->second == Op::first_known;
    Term term{.op = function->second, .children = {}, .kind = Kind::number};
    if (function->second == Op::known) term.kind = Kind::truth;
    accept("(");
    do {
      if (!has_any_number && !term.children.empty()) fail(word + " has one argument");
      term.children.push_back(deeper(&Parser::sum));
      want(term.children.back(), Kind::number, "functions require numbers");
    } while (accept(","));
    if (!accept(")")) fail("expected , or )");
    return add(std::move(term), start);
  }
  /// Parses `(condition, x, y)` or `(condition, x)`.
  Index choice(std::size_t start) {
    Term term{.op = Op::choice, .children = {}, .kind = Kind::number};
    accept("(");
    term.children.push_back(deeper(&Parser::either));
    want(term.children.back(), Kind::truth, "expected a comparison");
    while (term.children.size() < 3 && accept(",")) {
      term.children.push_back(deeper(&Parser::sum));
      want(term.children.back(), Kind::number, "functions require numbers");
    }
    if (term.children.size() < 2) fail("expected a comma and a number");
    if (!accept(")")) fail("expected )");
    return add(std::move(term), start);
  }
  [[noreturn]] void unknown(const std::string& word, std::size_t start) const {
    std::vector<std::string> all, listed;
    for (const Symbol& symbol : symbols_) {
      all.push_back(symbol.name);
      const std::string& shown = symbol.group.empty() ? symbol.name : symbol.group;
      if (std::find(listed.begin(), listed.end(), shown) == listed.end()) listed.push_back(shown);
    }
    const std::string meant = base::suggestion(word, all);
    fail(fmt::format("unknown name \"{}\"{} (known: {})", excerpt(word, 0),
                     meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant),
                     fmt::join(listed, ", ")),
         start);
  }

  void want(Index index, Kind kind, std::string_view otherwise) const {
    if (terms_[index].kind != kind) fail(otherwise, terms_[index].at);
  }
  void check_divisor(Op op, Index right) const {
    const Term& term = terms_[right];
    const bool divides = op == Op::over || op == Op::remainder;
    if (divides && term.op == Op::constant && std::get<double>(term.constant) == 0) {
      fail("division by zero", term.at);
    }
  }
  void check_comparable(Index left, Index right) const {
    const auto a = static_cast<int>(terms_[left].kind), b = static_cast<int>(terms_[right].kind);
    if (a != b) {
      fail(fmt::format("cannot compare {} with {}", kKindNames[a], kKindNames[b]),
           terms_[right].at);
    }
    check_choice(terms_[left], terms_[right]);
    check_choice(terms_[right], terms_[left]);
  }
  /// Rejects a comparison of a symbol with a text that is not one of the symbol's possible values.
  /// Such a text is usually misspelt.
  void check_choice(const Term& named, const Term& constant) const {
    if (named.op != Op::symbol || constant.op != Op::constant) return;
    const Symbol& symbol = symbols_[named.symbol];
    const auto* text = std::get_if<std::string>(&constant.constant);
    if (text == nullptr || symbol.choices.empty()) return;
    const auto& choices = symbol.choices;
    if (std::find(choices.begin(), choices.end(), *text) != choices.end()) return;
    fail(base::unknown_name(symbol.name, excerpt(*text, 0), choices), constant.at);
  }

  Index add(Term term, std::size_t at) {
    term.at = at;
    terms_.push_back(std::move(term));
    return terms_.size() - 1;
  }
  Index constant(Value value, std::size_t at) {
    const auto kind = static_cast<Kind>(value.index());
    return add({.op = Op::constant, .constant = std::move(value), .kind = kind}, at);
  }
  /// Limits the nesting. The limit protects the stack of this parser and of functions that walk the
  /// tree.
  Index deeper(Index (Parser::*part)()) {
    if (++nesting_ > kMostNesting) {
      fail(fmt::format("nested more than {} levels deep", kMostNesting), at_ - 1);
    }
    const Index inside = (this->*part)();
    --nesting_;
    return inside;
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
  template <std::size_t N>
  const Sign* accept_one(const Sign (&signs)[N]) {
    for (const Sign& sign : signs) {
      if (accept(sign.first)) return &sign;
    }
    return nullptr;
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
  [[noreturn]] void fail(std::string_view message) const { source_.fail(at_, message); }
  [[noreturn]] void fail(std::string_view message, std::size_t at) const {
    source_.fail(at, message);
  }

  const Expression::Source& source_;
  std::string_view text_;
  const std::vector<Symbol>& symbols_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  std::vector<Term> terms_;
};

}  // namespace

void Expression::Source::fail(std::size_t at, std::string_view message) const {
  throw base::SpecError(
      where, key, fmt::format("character {} of '{}': {}", at + 1, excerpt(text, at), message));
}

Expression::Expression(const Item& source, const std::vector<Symbol>& symbols)
    : source_{source.text(), source.key, source.node.where},
      terms_(Parser(source_, symbols).condition()) {}

bool Expression::holds(std::span<const Value> values) const {
  return evaluate(source_, terms_, [&](std::size_t i) -> const Value& { return values[i]; });
}

bool Expression::holds(std::span<const Value* const> values) const {
  return evaluate(source_, terms_, [&](std::size_t i) -> const Value& { return *values[i]; });
}

bool Expression::names(std::size_t symbol) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.op == Op::symbol && term.symbol == symbol;
  });
}

Formula::Formula(const Item& source, const std::vector<Symbol>& symbols)
    : source_{source.text(), source.key, source.node.where},
      terms_(Parser(source_, symbols).condition_or_formula()) {}

double Formula::number(std::span<const Value> values) const {
  if (is_condition()) return holds(values) ? 1 : 0;
  const auto get = [&](std::size_t i) -> const Value& { return values[i]; };
  return Evaluation<decltype(get)>{source_, terms_, get, false}.number(terms_.back());
}

bool Formula::holds(std::span<const Value> values) const {
  if (!is_condition()) {
    const double value = number(values);
    return !std::isnan(value) && value != 0;
  }
  const auto get = [&](std::size_t i) -> const Value& { return values[i]; };
  return Evaluation<decltype(get)>{source_, terms_, get, false}.truth(terms_.back());
}

double compute(const std::string& formula, const std::map<std::string, double>& values,
               const base::Location& where) {
  const Expression::Source source{formula, "", where};
  std::vector<Symbol> symbols;
  std::vector<Value> numbers;
  for (const auto& [name, value] : values) {
    symbols.push_back({name});
    numbers.emplace_back(value);
  }
  const std::vector<Term> terms = Parser(source, symbols).formula();
  const auto get = [&](std::size_t i) -> const Value& { return numbers[i]; };
  return Evaluation<decltype(get)>{source, terms, get}.number(terms.back());
}

}  // namespace dlscale::config
