// SPDX-License-Identifier: Apache-2.0
#include "contract/json/document.hpp"

#include <algorithm>
#include <string>

namespace dlscale::contract::codec {

Value Document::parse(std::string_view text, std::string_view file) {
  Value root;
  if (parser_.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS) return root;
  // The other library knows where a text is wrong, and takes a few that are right: whole numbers
  // beyond 64 bits, a byte order mark.
  const std::string plain = dump(codec::parse(text, file));
  if (parser_.parse(plain).get(root) == simdjson::SUCCESS) return root;
  throw base::SpecError({std::string(file)}, "", "JSON is nested too deeply");
}

Members members_of(simdjson::dom::object object) {
  Members members;
  members.reserve(object.size());
  for (const auto [key, value] : object) members.push_back({key, value});
  const auto is_out_of_order = [](const Member& a, const Member& b) { return a.key >= b.key; };
  if (std::adjacent_find(members.begin(), members.end(), is_out_of_order) == members.end()) {
    return members;
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.key < b.key; });
  const auto kept = std::unique(members.rbegin(), members.rend(),
                                [](const auto& a, const auto& b) { return a.key == b.key; });
  members.erase(members.begin(), kept.base());
  return members;
}

const Value* find(const Members& members, std::string_view key) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

const char* type_name(Value value) {
  using Type = simdjson::dom::element_type;
  switch (value.type()) {
    case Type::ARRAY:
      return "array";
    case Type::OBJECT:
      return "object";
    case Type::STRING:
      return "string";
    case Type::BOOL:
      return "boolean";
    case Type::NULL_VALUE:
      return "null";
    default:
      return "number";
  }
}

json to_json(Value value) {
  return json::parse(simdjson::minify(value));
}

}  // namespace dlscale::contract::codec
