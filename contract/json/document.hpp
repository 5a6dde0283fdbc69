// SPDX-License-Identifier: Apache-2.0
// Private to contract/: JSON text as values that can be looked at, whatever they are read
// into.
#pragma once

#include <simdjson.h>

#include <string_view>
#include <vector>

#include "contract/json/text.hpp"

namespace dlscale::contract::codec {

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
