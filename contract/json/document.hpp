// SPDX-License-Identifier: Apache-2.0
// JSON text as values.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

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
using Members = std::vector<Member>;

Members members_of(simdjson::dom::object object);
/// Null when there is none; of several the last.
const Value* find(const Members& members, std::string_view key);

/// A member as text: a string without its quotes, else its JSON; empty where `object` is none, or
/// the member is missing or null.
std::string text_in(Value object, std::string_view key);

/// "object", "string" and so on, as messages name them.
const char* type_name(Value value);

}  // namespace dlscale::contract::codec
