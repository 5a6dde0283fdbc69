// SPDX-License-Identifier: Apache-2.0
#include "planner/site/dataset_path.hpp"

#include <cctype>

namespace dlscale::planner {
namespace {

struct Reference {
  std::string name;    ///< empty: this $ begins no name
  std::size_t length;  ///< of the whole, $ and braces included
};

/// What the `$` at the beginning of `text` refers to.
Reference reference_at(std::string_view text) {
  const bool braces = text.size() > 1 && text[1] == '{';
  const std::size_t start = braces ? 2 : 1;
  std::size_t end = start;
  const auto in_name = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 128 && (std::isalpha(byte) || c == '_' || (end > start && std::isdigit(byte)));
  };
  while (end < text.size() && in_name(text[end])) ++end;
  if (end == start || (braces && (end == text.size() || text[end] != '}'))) return {"", 1};
  return {std::string(text.substr(start, end - start)), end + (braces ? 1 : 0)};
}

}  // namespace

std::string fill_in_variables(std::string_view path,
                              const std::map<std::string, std::string>& variables) {
  std::string result;
  while (!path.empty()) {
    const Reference reference = path[0] == '$' ? reference_at(path) : Reference{"", 1};
    const auto known = variables.find(reference.name);
    result += known != variables.end() ? std::string_view(known->second)
                                       : path.substr(0, reference.length);
    path.remove_prefix(reference.length);
  }
  return result;
}

std::vector<std::string> variables_in(std::string_view path) {
  std::vector<std::string> names;
  for (; !path.empty(); path.remove_prefix(1)) {
    if (path[0] != '$') continue;
    if (Reference reference = reference_at(path); !reference.name.empty()) {
      names.push_back(std::move(reference.name));
    }
  }
  return names;
}

}  // namespace dlscale::planner
