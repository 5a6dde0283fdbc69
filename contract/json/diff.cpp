// SPDX-License-Identifier: Apache-2.0
#include "contract/json/diff.hpp"

#include <set>

#include "contract/json/document.hpp"

namespace dlscale::contract {
namespace {

using codec::json;

void compare(const json& before, const json& after, const std::string& path,
             std::set<std::string>& keys) {
  if (before == after) return;
  if (!before.is_object() || !after.is_object()) {
    keys.insert(path);
    return;
  }
  const auto visit = [&](const json& object) {
    for (const auto& [key, value] : object.items()) {
      compare(before.value(key, json(nullptr)), after.value(key, json(nullptr)),
              path.empty() ? key : path + "." + key, keys);
    }
  };
  visit(before);
  visit(after);
}

}  // namespace

std::vector<std::string> differing_keys(std::string_view before, std::string_view after,
                                        std::string_view file) {
  const json old = codec::parse(before, file);
  if (!old.is_object()) throw base::SpecError({std::string(file)}, "", "no JSON object");
  std::set<std::string> keys;
  compare(old, codec::parse(after, ""), "", keys);
  return {keys.begin(), keys.end()};
}

}  // namespace dlscale::contract
