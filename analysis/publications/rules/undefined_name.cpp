// SPDX-License-Identifier: Apache-2.0
// Rule: names in a table are described somewhere.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

const std::string kDefined = "defined.";

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const auto& [key, known] : publication.settings) {
    if (!key.starts_with(kDefined)) continue;
    const std::string axis = key.substr(kDefined.size());
    std::set<std::string> reported;
    for (const Published& value : publication.values) {
      for (const std::string& name : {value.axis(axis), value.along == axis ? value.to : ""}) {
        const bool defined =
            name.empty() || std::find(known.begin(), known.end(), name) != known.end();
        if (defined || !reported.insert(name).second) continue;
        found.push_back(finding_of(
            {&value}, fmt::format("\"{}\" is never defined. The publication describes only {}.",
                                  name, fmt::join(known, ", "))));
      }
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule undefined_name_entry;
const ContradictionRule undefined_name_entry{"undefined_name", "a named setup is never defined",
                                             &find};

}  // namespace dlscale::analysis
