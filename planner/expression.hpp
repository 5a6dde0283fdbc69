// SPDX-License-Identifier: Apache-2.0
// Conditions on points, such as `framework == "ddp" && gpus > 8`, read once and asked many times.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/fields.hpp"

namespace dlscale::planner {

/// What a name stands for in one point.
using Value = std::variant<double, std::string, bool>;

/// A name an expression may use.
struct Symbol {
  enum class Kind { number, text, truth };  // in the order of Value's alternatives
  std::string name;
  Kind kind = Kind::number;
  std::vector<std::string> choices;  ///< texts it can be compared with; empty = any
};

/// Grammar, loosest first: `a || b`, `a && b`, `!a`, then `x == y` with == != < <= > >=, or
/// `x in [y, …]`, where x and y are names, numbers, "texts", 'texts', true, false; parentheses
/// group. A condition that is just a name must be a truth value. < and its kin want numbers.
class Expression {
 public:
  /// Throws base::SpecError at the item's place; the message counts characters from 1.
  Expression(const Item& source, const std::vector<Symbol>& symbols);
  /// The values in the order of the symbols.
  bool holds(std::span<const Value> values) const;

  enum class Op { either, both, negation, equal, unequal, less, at_most, more, at_least, in, leaf };
  /// A node of the syntax tree; children are indices into nodes_.
  struct Term {
    Op op = Op::leaf;
    std::vector<std::size_t> children = {};
    int symbol = -1;  ///< leaf: which symbol; -1 = the constant
    Value constant = {};
  };

 private:
  const Value& value_of(const Term& leaf, std::span<const Value> values) const;
  bool holds(const Term& term, std::span<const Value> values) const;

  std::vector<Term> terms_;  // children before parents; the last is the whole
};

}  // namespace dlscale::planner
