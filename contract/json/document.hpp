// SPDX-License-Identifier: Apache-2.0
// Private to contract/: JSON text in and out, as values that a codec reads, and the visitor that
// makes a type codable.
#pragma once

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::contract::codec {

using nlohmann::json;

/// Parses JSON text; `keep` may leave parts out. Throws base::SpecError with line and column.
inline json parse(std::string_view text, std::string_view file,
                  const json::parser_callback_t& keep = nullptr) {
  try {
    return json::parse(text, keep);
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    const bool cut = offset >= text.size();
    throw base::SpecError(base::locate(file, text, offset), "",
                          cut ? "not valid JSON: the text ends too early" : "not valid JSON");
  } catch (const json::out_of_range&) {
    throw base::SpecError({std::string(file)}, "", "not valid JSON: a number is out of range");
  }
}

/// JSON text; bytes that are no UTF-8 are replaced, since JSON cannot hold them.
inline std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A type with a `visit_fields(visitor, value)` found by argument-dependent lookup.
struct AnyVisitor {
  template <class T>
  void required(const char*, T&) {}
  template <class T>
  void optional(const char*, T&) {}
  template <class T>
  void sparse(const char*, T&) {}
};
template <class T>
concept HasFields = requires(AnyVisitor& visitor, T& value) {
  visit_fields(visitor, value);
};

/// Of a Document, and gone with it.
using Value = simdjson::dom::element;

class Document {
 public:
  /// Takes and refuses what codec::parse does, with its messages, but for texts that are nested
  /// more than 1024 deep. Values of the text before are gone. Throws base::SpecError.
  Value parse(std::string_view text, std::string_view file);

 private:
  simdjson::dom::parser parser_;
};

struct Member {
  std::string_view key;
  Value value;
};
/// Sorted by key, each key once.
using Members = std::vector<Member>;

/// Of several members with one key the last counts.
Members members_of(simdjson::dom::object object);
/// Null when there is none.
const Value* find(const Members& members, std::string_view key);

/// "object", "string" and so on, as messages name them.
const char* type_name(Value value);
json to_json(Value value);

}  // namespace dlscale::contract::codec
