// SPDX-License-Identifier: Apache-2.0
#include "planner/site/run_paths.hpp"

#include <cctype>

namespace dlscale::planner {
namespace {

struct Reference {
  std::string name;    ///< name of the variable; empty: the $ is an ordinary character
  std::size_t length;  ///< length of the reference with $ and braces
};

/// Returns the variable reference at the beginning of `text`, which starts with `$`.
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

std::vector<RunPath> paths_of(const contract::RunSpec& run) {
  std::vector<RunPath> paths{{"training.dataset.path", "", run.dataset.path},
                             {"training.weights", "", run.weights}};
  constexpr std::string_view kScript = contract::kScriptModel;
  if (run.model.starts_with(kScript)) {
    paths.push_back({"matrix.model", kScript.data(), run.model.substr(kScript.size())});
  }
  std::erase_if(paths, [](const RunPath& path) { return path.path.empty(); });
  return paths;
}

void fill_in_paths(contract::RunSpec& run, const std::map<std::string, std::string>& variables) {
  run.dataset.path = fill_in_variables(run.dataset.path, variables);
  run.weights = fill_in_variables(run.weights, variables);
  if (run.model.starts_with(contract::kScriptModel)) {
    run.model = fill_in_variables(run.model, variables);
  }
}

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
