// SPDX-License-Identifier: Apache-2.0
// Builds publications for tests from tables.
#pragma once

#include <string>

#include "analysis/publications/contradiction.hpp"

namespace dlscale::test {

inline analysis::Publication publication_of(const std::string& rows) {
  analysis::Publication publication;
  publication.values =
      analysis::read_reference_table("# source: a test\n# kind: R\n" + rows, "table.csv").values;
  return publication;
}

}  // namespace dlscale::test
