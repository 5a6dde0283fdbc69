// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/clean_environment.hpp"

#include <unistd.h>

#include "base/inherited_variables.hpp"

namespace dlscale::runner {

Environment own_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

CleanEnvironment clean_environment(const Environment& environment, std::string_view scheduler,
                                   const std::vector<std::string>& kept) {
  CleanEnvironment clean;
  for (const auto& [name, value] : environment) {
    if (base::is_removed_variable(name, scheduler, kept)) {
      clean.removed.push_back(name);
    } else {
      clean.variables.emplace(name, value);
    }
  }
  return clean;
}

}  // namespace dlscale::runner
