// SPDX-License-Identifier: Apache-2.0
// Formulas of publications, evaluated for values of their names.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"

namespace dlscale::analysis {

using Names = std::map<std::string, double>;

/// Arithmetic with + - * / ^ and parentheses. Throws base::SpecError at `place` for what is no
/// formula and for names that `values` lacks.
double evaluate(const std::string& formula, const Names& values, const base::Location& place = {});

}  // namespace dlscale::analysis
