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
/// Of a longer text, returns 160 bytes around byte `at`. No UTF-8 character is split, and "…" marks
/// text that is left out.
std::string excerpt(std::string_view text, std::size_t at);

/// Value of a name for one point. An unknown number is NaN, which equals nothing.
using Value = std::variant<double, std::string, bool>;

/// Name that an expression may use.
struct Symbol {
  enum class Kind { number, text, truth };  // same order as the alternatives of Value
  std::string name;
  Kind kind = Kind::number;
  std::vector<std::string> choices = {};  ///< texts that it may be compared with; empty = any
  std::string group = {};  ///< text that lists of known names show instead: "keys of [training]"
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
/// A condition that is just a name must be a truth value. Arithmetic and the comparisons < <= > >=
/// require numbers. A glob has * ? and [abc] and must match the whole text.
class Expression {
 public:
  /// Parses an expression. Throws base::SpecError at the item's place. The message counts
  /// characters from 1.
  Expression(const Item& source, const std::vector<Symbol>& symbols);

  /// Returns whether the condition holds. `values` are in the order of the symbols. `a || b` and
  /// `a && b` stop early. Throws base::SpecError for a division by zero, with the values of the
  /// names.
  bool holds(std::span<const Value> values) const;
  /// Evaluates values that are not contiguous in memory. No value is copied, even if the condition
  /// is evaluated for many points.
  bool holds(std::span<const Value* const> values) const;

  /// Returns whether the condition uses that symbol.
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
    constant
  };
  /// Node of the syntax tree. Children are indices into the list of all nodes.
  struct Term {
    Op op = Op::constant;
    std::vector<std::size_t> children = {};
    std::size_t symbol = 0;  ///< index of the symbol
    Value constant = {};     ///< value; for a symbol, its name
    Symbol::Kind kind = Symbol::Kind::truth;
    std::size_t at = 0;  ///< position of its first character in the text
  };

  /// Text of the expression and its place, for errors.
  struct Source {
    std::string text, key;
    base::Location where;
    [[noreturn]] void fail(std::size_t at, std::string_view message) const;
  };

 private:
  Source source_;
  std::vector<Term> terms_;  // nodes, children before parents; the last is the root
};

/// Returns the number that a formula gives for these values of its names. A formula is what can be
/// on one side of a comparison above. Throws base::SpecError at `where` for a text that is not a
/// formula, for names without a value, and for divisions by zero.
double compute(const std::string& formula, const std::map<std::string, double>& values,
               const base::Location& where);

}  // namespace dlscale::config
