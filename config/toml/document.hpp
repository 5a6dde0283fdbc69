// SPDX-License-Identifier: Apache-2.0
// What a TOML file says, in the order it says it, with the place of every key and value; and as
// text again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace dlscale::config {

// What a TOML file says, in the order it says it, with the place of every key and value.

struct Node;
struct Entry;
using List = std::vector<Node>;
using Table = std::vector<Entry>;

/// A value. Its place names a file, or the command line (`-S key=value`, without line).
struct Node {
  std::variant<bool, std::int64_t, double, std::string, List, Table> value;
  base::Location where;
};

struct Entry {
  std::string key;
  base::Location where;
  Node node;
};

/// The table a TOML text holds. Throws base::SpecError with the place of a syntax error, and for
/// dates and times, which no key of ours takes. `file` is only named.
Node parse_document(std::string_view text, const std::string& file);

/// Applies one `-S` argument, `dotted.key=value`: replaces the value, or adds the key and the
/// tables above it; a table of a list is meant by its `name`. The value is TOML; what is no TOML
/// value and does not begin like one
/// (`"`, `'`, `[`, `{`) is taken as a string. Throws base::SpecError.
void apply_override(Node& root, const std::string& assignment);

/// "a string", "a table", … for messages.
std::string kind_of(const Node& node);

/// As tables of results show it: strings bare, numbers at their shortest, lists as [1, 2].
std::string to_text(const Node& node);

/// The entry of that key, or null.
const Entry* find_key(const Table& table, std::string_view key);

// A document as TOML text again.

/// Reads back as the same values in the same order, but that keys stand before the tables beside
/// them. Throws base::SpecError for a document that is no table.
std::string toml_text(const Node& document);

}  // namespace dlscale::config
