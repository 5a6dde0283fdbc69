// SPDX-License-Identifier: Apache-2.0
// Defines a rule that finds contradictions in publications. To add a rule, write one file in rules/
// and add one word to analysis/CMakeLists.txt.
#pragma once

#include <string>
#include <vector>

#include "analysis/publications/reference_study.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {

struct Finding {
  std::string where;    ///< file, line and place in the publication of each value
  std::string values;   ///< values as the publication prints them
  std::string meaning;  ///< explanation of the contradiction
};

struct ContradictionRule {
  const char* name;
  const char* summary;
  std::vector<Finding> (*find)(const Publication& publication);
};

base::Table<ContradictionRule> contradiction_rules();

struct Contradiction {
  const ContradictionRule* rule;
  Finding finding;
};

/// Returns the findings of all rules, in the order of the rules.
std::vector<Contradiction> find_contradictions(const Publication& publication);

using Evidence = std::vector<const Published*>;

/// Returns a finding about some values. Axis cells that all values share are stated once, at the
/// end.
Finding finding_of(const Evidence& evidence, std::string meaning);
/// Returns a finding about a definition or setting at a place in the file of the study.
Finding finding_at(const base::Location& place, std::string values, std::string meaning);

/// Returns where a value is stated: the file, the line, and the place in the publication, as in
/// "table2.csv:7 (Table 2)".
std::string where_of(const Published& value);

}  // namespace dlscale::analysis
