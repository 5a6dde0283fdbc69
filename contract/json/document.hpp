// SPDX-License-Identifier: Apache-2.0
// Parses JSON text into values of simdjson.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::contract::codec {

/// JSON value that belongs to a Document. It becomes invalid when the Document is destroyed or
/// parses another text.
using Value = simdjson::dom::element;

class Document {
 public:
  /// Parses a JSON text and returns its value. Values of the previous text become invalid. Throws
  /// base::SpecError for invalid JSON, with line and column in `file`, and for a text that is
  /// nested more than 1024 levels deep.
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
/// Returns the value of `key`, or null if the key is missing. If the key occurs several times, the
/// last occurrence counts.
const Value* find(const Members& members, std::string_view key);

/// Returns a member of `object` as text: a string without its quotes, or the JSON text of any other
/// value. Returns an empty text if `object` is not an object, or if the member is missing or null.
std::string text_in(Value object, std::string_view key);

/// Returns the name of the JSON type for messages: "object", "string" and so on.
const char* type_name(Value value);

}  // namespace dlscale::contract::codec
