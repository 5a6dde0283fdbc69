// SPDX-License-Identifier: Apache-2.0
#include "config/toml/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace dlscale::config {
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

/// Only tables, one at least: a list of sections.
bool is_section_list(const Node& node) {
  const auto* items = std::get_if<List>(&node.value);
  return items != nullptr && !items->empty() && std::all_of(items->begin(), items->end(), is_table);
}

/// Sections of their own are tables at the top and those that hold tables.
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
  if (table == nullptr) throw base::SpecError(document.where, "", "a document is a table");
  std::string out;
  write_table(*table, "", out);
  return out.starts_with('\n') ? out.substr(1) : out;
}

}  // namespace dlscale::config
