// SPDX-License-Identifier: Apache-2.0
// Conditions on points, such as `framework == "ddp" && gpus > 8`, read once and asked many times,
// and formulas such as `speedup / gpus`.
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

// How much of a long text a message quotes.

/// A short text as it is; of one with more than 160 bytes these many around byte `at`, no character
/// (UTF-8) cut in two, with "…" where it goes on.
std::string excerpt(std::string_view text, std::size_t at);

/// What a name stands for in one point. A number that is not known is NaN, equal to nothing.
using Value = std::variant<double, std::string, bool>;

/// A name an expression may use.
struct Symbol {
  enum class Kind { number, text, truth };  // in the order of Value's alternatives
  std::string name;
  Kind kind = Kind::number;
  std::vector<std::string> choices = {};  ///< texts it can be compared with; empty = any
  std::string group = {};  ///< what lists of known names say instead of it, as "keys of [training]"
};

/// Grammar, loosest first: `a || b`, `a && b`, `!a`, then a comparison: `x == y` with
/// == != < <= > >=, `x in [y, …]`, or `x matches "glob*"`; then `x + y`, `x - y`; `x * y`, `x / y`,
/// `x % y`; `-x`; `x ^ y`; then names, numbers, "texts", 'texts', true, false and `( … )`. A
/// condition that is just a name must be a truth value. Arithmetic, < and its kin want numbers. A
/// glob has * ? and [abc] and is compared with the whole text.
class Expression {
 public:
  /// Throws base::SpecError at the item's place; the message counts characters from 1.
  Expression(const Item& source, const std::vector<Symbol>& symbols);

  /// The values in the order of the symbols. `a || b` and `a && b` stop early. Throws
  /// base::SpecError for a division by zero, with the values of the names.
  bool holds(std::span<const Value> values) const;
  /// The same for values that lie apart: asked for many points, none is copied.
  bool holds(std::span<const Value* const> values) const;

  /// Whether what holds depends on that symbol.
  bool names(std::size_t symbol) const;

  enum class Op {
    either,
    both,
    negation,  // of truths
    equal,
    unequal,
    less,
    at_most,
    more,
    at_least,
    in,
    matches,  // truths of values
    plus,
    minus,
    times,
    over,
    remainder,
    power,
    negative,  // numbers
    symbol,
    constant
  };
  /// A node of the syntax tree; children are indices into the list of all.
  struct Term {
    Op op = Op::constant;
    std::vector<std::size_t> children = {};
    std::size_t symbol = 0;  ///< which symbol
    Value constant = {};     ///< of a symbol: its name
    Symbol::Kind kind = Symbol::Kind::truth;
    std::size_t at = 0;  ///< where it begins in the text
  };

  /// What was read, for errors.
  struct Source {
    std::string text, key;
    base::Location where;
    [[noreturn]] void fail(std::size_t at, std::string_view message) const;
  };

 private:
  Source source_;
  std::vector<Term> terms_;  // children before parents; the last is the whole
};

/// The number that a formula gives for these values of its names: what stands on one side of a
/// comparison above. Throws base::SpecError at `where` for what is no such formula, names without a
/// value and divisions by zero.
double compute(const std::string& formula, const std::map<std::string, double>& values,
               const base::Location& where);

}  // namespace dlscale::config
