// SPDX-License-Identifier: Apache-2.0
#include "config/toml/document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace dlscale::config {
namespace {

/// Converter from the tree of toml++ to nodes. `place` returns the position of a region of the text
/// in the form that messages need.
struct Converter {
  std::string file;
  bool one_line;  // true for a command line argument: positions have no line and column

  base::Location place(const toml::source_region& region) const {
    if (one_line) return {file};
    return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }
  Node list(const toml::array& array) const {
    List items;
    for (const toml::node& item : array) items.push_back(node(item));
    return {std::move(items), place(array.source())};
  }
  Node table(const toml::table& source) const {
    std::vector<const toml::key*> order;
    for (const auto& [key, value] : source) order.push_back(&key);
    std::sort(order.begin(), order.end(), [](const toml::key* a, const toml::key* b) {
      const auto &x = a->source().begin, &y = b->source().begin;
      return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    });
    Table entries;
    for (const toml::key* key : order) {
      entries.push_back({std::string(key->str()), place(key->source()), node(*source.get(*key))});
    }
    return {std::move(entries), place(source.source())};
  }
  Node node(const toml::node& source) const {
    const base::Location where = place(source.source());
    switch (source.type()) {
      case toml::node_type::table:
        return table(*source.as_table());
      case toml::node_type::array:
        return list(*source.as_array());
      case toml::node_type::string:
        return {source.as_string()->get(), where};
      case toml::node_type::integer:
        return {source.as_integer()->get(), where};
      case toml::node_type::floating_point:
        return {source.as_floating_point()->get(), where};
      case toml::node_type::boolean:
        return {source.as_boolean()->get(), where};
      default:
        throw base::SpecError(where, "", "dates and times must be in quotes");
    }
  }
};

/// Limit on the number of parts of a dotted key. Each part makes a table inside the table of the
/// previous part. toml++ limits the nesting of values, but not the number of parts. Reading very
/// many parts would overflow the stack.
constexpr std::ptrdiff_t kMostKeyParts = 1000;

void refuse_endless_keys(std::string_view text, const std::string& file, bool one_line) {
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view key = text.substr(0, text.find_first_of("=\n"));
    if (std::count(key.begin(), key.end(), '.') >= kMostKeyParts) {
      throw base::SpecError(one_line ? base::Location{file} : base::Location{file, line, 1}, "",
                            fmt::format("the key has more than {} parts", kMostKeyParts));
    }
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

Node parse(std::string_view text, const std::string& file, bool one_line) {
  const Converter convert{file, one_line};
  refuse_endless_keys(text, file, one_line);
  try {
    return convert.table(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    throw base::SpecError(convert.place(error.source()), "", error.description());
  }
}

/// Returns the value of a `-S` argument. `place` is the text that stands for the argument in
/// messages.
Node override_value(std::string_view text, const std::string& place) {
  const bool looks_like_toml = !text.empty() && std::string_view("\"'[{").find(text[0]) < 4;
  try {
    Node root = parse(fmt::format("value = {}\n", text), place, true);
    const Table& table = std::get<Table>(root.value);
    if (table.size() == 1) return table[0].node;
  } catch (const base::SpecError&) {
    if (looks_like_toml) throw;
  }
  return {std::string(text), {place}};
}

/// Returns the table in `list` whose key `name` has this value, or null if there is none.
Node* find_named(Node& list, std::string_view name) {
  auto* items = std::get_if<List>(&list.value);
  if (items == nullptr) return nullptr;
  for (Node& item : *items) {
    const auto* table = std::get_if<Table>(&item.value);
    const Entry* entry = table == nullptr ? nullptr : find_key(*table, "name");
    if (entry != nullptr && to_text(entry->node) == name) return &item;
  }
  return nullptr;
}

}  // namespace

Node parse_document(std::string_view text, const std::string& file) {
  return parse(text, file, false);
}

void apply_override(Node& root, const std::string& assignment) {
  const std::string place = "-S " + assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw base::SpecError({place}, "", "expected key=value, for example training.epochs=2");
  }
  const std::string path = assignment.substr(0, equals);
  Node* at = &root;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string key = path.substr(start, dot - start);
    if (Node* named = find_named(*at, key)) {
      at = named;
      start = dot + 1;
      continue;
    }
    auto* table = std::get_if<Table>(&at->value);
    if (table == nullptr) {
      throw base::SpecError({place}, path.substr(0, start - 1),
                            "is " + kind_of(*at) + ", not a table");
    }
    if (find_key(*table, key) == nullptr) table->push_back({key, {place}, {Table{}, {place}}});
    at = const_cast<Node*>(&find_key(*table, key)->node);
    start = dot + 1;
  }
  *at = override_value(std::string_view(assignment).substr(equals + 1), place);
}

std::string kind_of(const Node& node) {
  static constexpr const char* kKinds[] = {"true or false", "a whole number", "a number",
                                           "a string",      "a list",         "a table"};
  return kKinds[node.value.index()];
}

std::string to_text(const Node& node) {
  struct {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const List& items) const {
      std::string text = "[";
      for (const Node& item : items) text += (text.size() > 1 ? ", " : "") + to_text(item);
      return text + "]";
    }
    std::string operator()(const Table& entries) const {
      std::string text = "{";
      for (const Entry& entry : entries) {
        text += (text.size() > 1 ? ", " : "") + entry.key + " = " + to_text(entry.node);
      }
      return text + "}";
    }
  } const visitor;
  return std::visit(visitor, node.value);
}

const Entry* find_key(const Table& table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == table.end() ? nullptr : &*found;
}

namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (std::iscntrl(static_cast<unsigned char>(c)) != 0) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-';
  });
  return bare ? key : in_quotes(key);
}

std::string number_text(double value) {
  const std::string text = fmt::format("{}", value);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

std::string inline_text(const Node& node) {
  struct {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return number_text(value); }
    std::string operator()(const std::string& value) const { return in_quotes(value); }
    std::string operator()(const List& items) const {
      std::string text;
      for (const Node& item : items) text += (text.empty() ? "" : ", ") + inline_text(item);
      return "[" + text + "]";
    }
    std::string operator()(const Table& entries) const {
      std::string text;
      for (const Entry& entry : entries) {
        text += fmt::format("{} {} = {}", text.empty() ? "" : ",", key_text(entry.key),
                            inline_text(entry.node));
      }
      return "{" + text + " }";
    }
  } const visitor;
  return std::visit(visitor, node.value);
}

bool is_table(const Node& node) {
  return std::holds_alternative<Table>(node.value);
}

/// Returns whether the node is a list with at least one table and nothing else. Such a list is
/// written as [[sections]].
bool is_section_list(const Node& node) {
  const auto* items = std::get_if<List>(&node.value);
  return items != nullptr && !items->empty() && std::all_of(items->begin(), items->end(), is_table);
}

/// Returns whether a node is written as a [section]: a table at the top level, or a table that
/// contains tables.
bool is_section(const Node& node, bool at_top) {
  const auto* table = std::get_if<Table>(&node.value);
  return table != nullptr &&
         (at_top || std::any_of(table->begin(), table->end(),
                                [](const Entry& entry) { return is_table(entry.node); }));
}

void write_table(const Table& table, const std::string& path, std::string& out) {
  const bool at_top = path.empty();
  const auto apart = [&](const Node& node) {
    return is_section(node, at_top) || is_section_list(node);
  };
  for (const Entry& entry : table) {
    if (apart(entry.node)) continue;
    out += fmt::format("{} = {}\n", key_text(entry.key), inline_text(entry.node));
  }
  for (const Entry& entry : table) {
    if (!apart(entry.node)) continue;
    const std::string name = (at_top ? "" : path + ".") + key_text(entry.key);
    if (const auto* section = std::get_if<Table>(&entry.node.value)) {
      out += fmt::format("\n[{}]\n", name);
      write_table(*section, name, out);
      continue;
    }
    for (const Node& item : std::get<List>(entry.node.value)) {
      out += fmt::format("\n[[{}]]\n", name);
      write_table(std::get<Table>(item.value), name, out);
    }
  }
}

}  // namespace

std::string toml_text(const Node& document) {
  const auto* table = std::get_if<Table>(&document.value);
  if (table == nullptr) throw base::SpecError(document.where, "", "a document must be a table");
  std::string out;
  write_table(*table, "", out);
  return out.starts_with('\n') ? out.substr(1) : out;
}

}  // namespace dlscale::config
