// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dataset_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.hpp"

namespace dlscale::trainer {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

std::string expand_variables(std::string_view path, const VariableLookup& lookup,
                             std::string_view key, int exit_code) {
  const auto fail = [&](const std::string& problem) {
    throw base::RunError(fmt::format("{} \"{}\": {}", key, path, problem), exit_code);
  };
  std::string expanded;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t dollar = std::min(rest.find('$'), rest.size());
    expanded += rest.substr(0, dollar);
    rest.remove_prefix(dollar);
    if (rest.empty()) break;
    rest.remove_prefix(1);
    const bool braced = rest.substr(0, 1) == "{";
    if (braced) rest.remove_prefix(1);
    const auto end = std::find_if_not(rest.begin(), rest.end(), in_name);
    const std::string name(rest.begin(), end);
    rest.remove_prefix(name.size());
    if (braced && rest.substr(0, 1) != "}") fail("\"${\" without its \"}\"");
    if (braced) rest.remove_prefix(1);
    if (name.empty()) fail("no variable name after \"$\"");
    const char* value = lookup(name.c_str());
    if (!value) fail(fmt::format("the environment variable {} is not set; export it", name));
    expanded += value;
  }
  return expanded;
}

}  // namespace dlscale::trainer
