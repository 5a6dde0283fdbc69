// SPDX-License-Identifier: Apache-2.0
#include "config/expression/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "config/expression/excerpt.hpp"
#include "config/expression/expression_parser.hpp"

namespace dlscale::config {
namespace {

using Op = Expression::Op;
using Term = Expression::Term;
using Kind = Symbol::Kind;

std::string shown(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return fmt::format("\"{}\"", std::get<std::string>(value));
}

/// One evaluation; `get(i)` is the value of symbol i.
template <class Get>
struct Evaluation {
  const Expression::Source& source;
  const std::vector<Term>& terms;
  const Get& get;

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
      case Op::negative:
        return -number(child(term, 0));
      default:
        return std::get<double>(leaf(term));
    }
  }
  double divisor(const Term& term) const {
    const double value = number(child(term, 1));
    if (value == 0) source.fail(term.at, "division by zero where " + values_of_names());
    return value;
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
      case Op::symbol:
      case Op::constant:
        return std::get<bool>(leaf(term));
      default:
        return ordered(term);
    }
  }
  /// `a = 1, b = 0`: each name the condition uses.
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

}  // namespace

void Expression::Source::fail(std::size_t at, std::string_view message) const {
  throw base::SpecError(
      where, key, fmt::format("character {} of '{}': {}", at + 1, excerpt(text, at), message));
}

Expression::Expression(const Item& source, const std::vector<Symbol>& symbols)
    : source_{source.text(), source.key, source.node.where},
      terms_(parse_condition(source_, symbols)) {}

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

}  // namespace dlscale::config
