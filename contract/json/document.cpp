// SPDX-License-Identifier: Apache-2.0
#include "contract/json/document.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace dlscale::contract::codec {

namespace {

/// Parses a text that simdjson has rejected. The parser is nlohmann::json, because it reports the
/// position of errors. nlohmann::json also accepts a few valid texts that simdjson rejects: texts
/// with whole numbers beyond 64 bits or with a byte order mark. Returns such a text in a form that
/// simdjson accepts. Throws base::SpecError with line and column for an invalid text.
std::string checked(std::string_view text, std::string_view file) {
  using nlohmann::json;
  try {
    return json::parse(text).dump(-1, ' ', false, json::error_handler_t::replace);
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    const bool cut = offset >= text.size();
    throw base::SpecError(base::locate(file, text, offset), "",
                          cut ? "not valid JSON: the text ends too early" : "not valid JSON");
  } catch (const json::out_of_range&) {
    throw base::SpecError({std::string(file)}, "", "not valid JSON: a number is out of range");
  }
}

}  // namespace

Value Document::parse(std::string_view text, std::string_view file) {
  Value root;
  if (parser_.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS) return root;
  if (parser_.parse(checked(text, file)).get(root) == simdjson::SUCCESS) return root;
  throw base::SpecError({std::string(file)}, "", "JSON is nested too deeply");
}

Members members_of(simdjson::dom::object object) {
  Members members;
  members.reserve(object.size());
  for (const auto [key, value] : object) members.push_back({key, value});
  return members;
}

const Value* find(const Members& members, std::string_view key) {
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [&](const Member& member) { return member.key == key; });
  return found == members.rend() ? nullptr : &found->value;
}

std::string text_in(Value object, std::string_view key) {
  Value member;
  if (object[key].get(member) != simdjson::SUCCESS || member.is_null()) return "";
  std::string_view text;
  return member.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::minify(member);
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

}  // namespace dlscale::contract::codec
