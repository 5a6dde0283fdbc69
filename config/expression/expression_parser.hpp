// SPDX-License-Identifier: Apache-2.0
// Private to config/expression*.cpp: from the text of a condition to its syntax tree.
#pragma once

#include <vector>

#include "config/expression/expression.hpp"

namespace dlscale::config {

/// Children before parents, the last is the whole, a truth value. Throws base::SpecError.
std::vector<Expression::Term> parse_condition(const Expression::Source& source,
                                              const std::vector<Symbol>& symbols);

}  // namespace dlscale::config
