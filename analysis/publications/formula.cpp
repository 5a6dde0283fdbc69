// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <vector>

namespace dlscale::analysis {
namespace {

[[noreturn]] void fail(const mu::Parser::exception_type& error, const std::string& formula,
                       const Names& values, const base::Location& place) {
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
    std::vector<std::string> known;
    for (const auto& [name, value] : values) known.push_back(name);
    throw base::SpecError(place, "",
                          fmt::format("\"{}\": unknown name \"{}\" (known: {})", formula,
                                      error.GetToken(), fmt::join(known, ", ")));
  }
  throw base::SpecError(place, "", fmt::format("\"{}\": {}", formula, error.GetMsg()));
}

}  // namespace

double evaluate(const std::string& formula, const Names& values, const base::Location& place) {
  try {
    mu::Parser parser;
    for (const auto& [name, value] : values) parser.DefineConst(name, value);
    parser.SetExpr(formula);
    return parser.Eval();
  } catch (const mu::Parser::exception_type& error) {
    fail(error, formula, values, place);
  }
}

}  // namespace dlscale::analysis
