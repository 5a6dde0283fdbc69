// SPDX-License-Identifier: Apache-2.0
// Evaluates conditions on points, such as `framework == "ddp" && gpus > 8`, and formulas such as
// `speedup / gpus`. A condition is parsed once and evaluated many times.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/toml/fields.hpp"

namespace dlscale::config {

/// Returns the part of a text that a message quotes. A text of at most 160 bytes is returned whole.
/// For a longer text, the result is 160 bytes around byte `at`. No UTF-8 character is split, and
/// "…" marks text that is left out.
std::string excerpt(std::string_view text, std::size_t at);

/// Value of a name for one point. An unknown number is NaN, so every test for equality with it is
/// false.
using Value = std::variant<double, std::string, bool>;

/// Name that an expression may use.
struct Symbol {
  enum class Kind { number, text, truth };  // same order as the alternatives of Value
  std::string name;
  Kind kind = Kind::number;
  std::vector<std::string> choices = {};  ///< texts that the name may be compared with; empty = any
  /// Text that lists of known names show instead of the name: "keys of [training]".
  std::string group = {};
};

/// Condition that is parsed once and can be evaluated for many points. Operators and operands, from
/// the loosest to the tightest:
/// - `a || b`
/// - `a && b`
/// - `!a`
/// - a comparison: `x == y` with == != < <= > >=, `x in [y, …]`, or `x matches "glob*"`
/// - `x + y`, `x - y`
/// - `x * y`, `x / y`, `x % y`
/// - `-x`
/// - `x ^ y`
/// - names, numbers, "texts", 'texts', true, false and `( … )`
/// - functions: `min(x, …)`, `max(x, …)`, `first(x, …)`, `round(x)`, `floor(x)`, `abs(x)`,
///   `known(x)` and `if(condition, x, y)`. min and max ignore unknown numbers, first returns its
///   first known argument, and known states whether a number is known and finite. Without y, `if`
///   returns an unknown number if the condition does not hold.
/// A condition may be a single name if the name stands for true or false. Arithmetic and the
/// comparisons < <= > >= require numbers. A glob has * ? and [abc] and must match the whole text.
class Expression {
 public:
  /// Parses an expression. Throws base::SpecError with the position of the item for an invalid
  /// expression. The message counts characters from 1.
  Expression(const Item& source, const std::vector<Symbol>& symbols);

  /// Returns whether the condition holds. `values` are in the order of the symbols. `a || b` and `a
  /// && b` skip operands that cannot change the result. Throws base::SpecError for a division by
  /// zero. The message contains the values of the names.
  bool holds(std::span<const Value> values) const;
  /// Evaluates the condition for values that are not contiguous in memory. The caller passes
  /// pointers and need not copy the values of each point.
  bool holds(std::span<const Value* const> values) const;

  /// Returns whether the condition uses the symbol with this index.
  bool names(std::size_t symbol) const;

  enum class Op {
    either,
    both,
    negation,  // last operator on truth values
    equal,
    unequal,
    less,
    at_most,
    more,
    at_least,
    in,
    matches,  // last operator that compares values
    plus,
    minus,
    times,
    over,
    remainder,
    power,
    negative,  // last operator on numbers
    symbol,
    constant,
    least,  // first of the functions
    largest,
    first_known,
    round,
    floor,
    absolute,
    known,
    choice
  };
  /// Node of the syntax tree. Children are indices into the list of all nodes.
  struct Term {
    Op op = Op::constant;
    std::vector<std::size_t> children = {};
    std::size_t symbol = 0;  ///< index of the symbol
    Value constant = {};     ///< value of a constant, or name of a symbol
    Symbol::Kind kind = Symbol::Kind::truth;
    std::size_t at = 0;  ///< position of the term's first character in the text
  };

  /// Text of the expression and its position, for error messages.
  struct Source {
    std::string text, key;
    base::Location where;
    [[noreturn]] void fail(std::size_t at, std::string_view message) const;
  };

 private:
  Source source_;
  std::vector<Term> terms_;  // nodes, children before parents; the last is the root
};

/// Formula or condition over numbers, some of which may be unknown. It is parsed once and evaluated
/// for many lines of a log. It never throws during evaluation: a number that cannot be computed,
/// for example because of a division by zero, is NaN.
class Formula {
 public:
  /// Parses a number or a condition. All symbols must be numbers. Throws base::SpecError with the
  /// position of the item.
  Formula(const Item& source, const std::vector<Symbol>& symbols);

  /// Returns whether the formula is a condition.
  bool is_condition() const { return terms_.back().kind == Symbol::Kind::truth; }
  /// Returns the number, or 1 or 0 for a condition. `values` are in the order of the symbols and
  /// must contain numbers.
  double number(std::span<const Value> values) const;
  /// Returns whether the condition holds, or whether the number is known and not 0.
  bool holds(std::span<const Value> values) const;

 private:
  Expression::Source source_;
  std::vector<Expression::Term> terms_;
};

/// Returns the number that a formula gives for these values of its names. A formula has the syntax
/// of one side of a comparison (see Expression). Throws base::SpecError at `where` for a text that
/// is not a formula, for names without a value, and for divisions by zero.
double compute(const std::string& formula, const std::map<std::string, double>& values,
               const base::Location& where);

}  // namespace dlscale::config
