// SPDX-License-Identifier: Apache-2.0
#include "analysis/cells/separator.hpp"

namespace dlscale::analysis {

char separator_of(std::string_view heading) {
  int commas = 0, semicolons = 0, tabs = 0;
  bool quoted = false;
  for (const char c : heading) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    commas += c == ',' ? 1 : 0;
    semicolons += c == ';' ? 1 : 0;
    tabs += c == '\t' ? 1 : 0;
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

}  // namespace dlscale::analysis
