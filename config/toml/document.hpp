// SPDX-License-Identifier: Apache-2.0
// Parses TOML files into values that keep their order and the position (file, line, column) of
// every key and value. Writes values as TOML text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace dlscale::config {

struct Node;
struct Entry;
using List = std::vector<Node>;
using Table = std::vector<Entry>;

/// Value in a document. `where` is a position in a file, or a command line argument (`-S
/// key=value`) without a line.
struct Node {
  std::variant<bool, std::int64_t, double, std::string, List, Table> value;
  base::Location where;
};

struct Entry {
  std::string key;
  base::Location where;
  Node node;
};

/// Parses a TOML text and returns its table. Throws base::SpecError with the position of a syntax
/// error. Also throws for dates and times, which no key of dlscale accepts. `file` is only used in
/// positions and messages.
Node parse_document(std::string_view text, const std::string& file);

/// Applies one `-S` argument, `dotted.key=value`. Replaces the value, or adds the key and the
/// tables above it. A part of the key can be the `name` of a table in a list. The value is TOML. A
/// text that is not a TOML value is taken as a string, unless it begins like a TOML value (`"`,
/// `'`, `[`, `{`). Throws base::SpecError for an invalid argument.
void apply_override(Node& root, const std::string& assignment);

/// Returns the kind of a value for messages: "a string", "a table", …
std::string kind_of(const Node& node);

/// Returns a value as tables of results show it: strings without quotes, numbers in their shortest
/// form, lists as [1, 2].
std::string to_text(const Node& node);

/// Returns the entry of `table` whose key is `key`, or null.
const Entry* find_key(const Table& table, std::string_view key);

/// Returns the document as TOML text. Parsing the text gives the same values in the same order,
/// except that the plain values of a table come before its inner tables. Throws base::SpecError if
/// the document is not a table.
std::string toml_text(const Node& document);

}  // namespace dlscale::config
