// SPDX-License-Identifier: Apache-2.0
#include "config/toml/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::config {
namespace {

[[noreturn]] void wrong_kind(const Item& item, std::string_view expected) {
  item.fail(fmt::format("expected {}, found {}", expected, kind_of(item.node)));
}

template <class T>
const T& as(const Item& item, std::string_view expected) {
  const T* value = std::get_if<T>(&item.node.value);
  if (value == nullptr) wrong_kind(item, expected);
  return *value;
}

std::string range_text(double least, double most) {
  if (most == kNoLimit) return fmt::format("at least {}", least);
  return fmt::format("between {} and {}", least, most);
}

/// Returns, for each dotted name that begins with `prefix`, the part of the name that follows
/// `prefix`. The parts are in the order of the names, without duplicates.
std::vector<std::string> keys_after(const std::string& prefix,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    if (name.rfind(prefix, 0) != 0) continue;
    std::string key = name.substr(prefix.size(), name.find('.', prefix.size()) - prefix.size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

struct KeyMatcher {
  const std::vector<std::string>& names;
  const std::function<void(std::size_t, const Item&)>& found;

  void visit(const Item& table, const std::string& prefix) const {
    for (const Entry& entry : table.table()) {
      const std::string name = prefix + entry.key;
      const Item item{entry.node, table.key.empty() ? entry.key : table.key + "." + entry.key};
      const auto known = [&](const std::string& key) {
        return std::find(names.begin(), names.end(), key);
      };
      auto exact = known(name);
      if (exact == names.end()) exact = known(prefix + "*");
      if (exact != names.end()) {
        found(static_cast<std::size_t>(exact - names.begin()), item);
      } else if (!keys_after(name + ".", names).empty()) {
        visit(item, name + ".");
      } else {
        unknown(entry, item.key, keys_after(prefix, names));
      }
    }
  }
  [[noreturn]] static void unknown(const Entry& entry, const std::string& key_path,
                                   const std::vector<std::string>& choices) {
    const std::string meant = base::suggestion(entry.key, choices);
    const std::string hint = meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant);
    throw base::SpecError(entry.where, key_path,
                          fmt::format("unknown key{} (known: {})", hint, fmt::join(choices, ", ")));
  }
};

}  // namespace

bool is_identifier(std::string_view name) {
  const auto in_name = [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); };
  return !name.empty() && std::all_of(name.begin(), name.end(), in_name) &&
         !base::is_digit(name.front());
}

void Item::fail(std::string_view message) const {
  throw base::SpecError(node.where, key, message);
}

bool Item::flag() const {
  return as<bool>(*this, "true or false");
}

std::int64_t Item::whole(std::int64_t least, std::int64_t most) const {
  if (std::holds_alternative<double>(node.value)) {
    fail(fmt::format("expected a whole number, found {}", to_text(node)));
  }
  const std::int64_t value = as<std::int64_t>(*this, "a whole number");
  if (value < least || value > most) {
    fail(value < least ? fmt::format("must be at least {} (got {})", least, value)
                       : fmt::format("must be at most {} (got {})", most, value));
  }
  return value;
}

double Item::number(double least, double most) const {
  const auto* whole_number = std::get_if<std::int64_t>(&node.value);
  const double value =
      whole_number != nullptr ? static_cast<double>(*whole_number) : as<double>(*this, "a number");
  if (!std::isfinite(value)) fail(fmt::format("must be a finite number (got {})", value));
  if (value < least || value > most) {
    fail(fmt::format("must be {} (got {})", range_text(least, most), value));
  }
  return value;
}

const std::string& Item::text() const {
  const auto& value = as<std::string>(*this, "a string");
  if (value.find('\0') != std::string::npos) fail("must not contain a NUL character");
  return value;
}

const std::string& Item::word() const {
  if (text().empty()) fail("must not be empty");
  return text();
}

const std::string& Item::plain_name() const {
  const std::string& name = word();
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c < 128 && std::isalnum(c)) || c == '.' || c == '_' || c == '-';
  });
  if (!plain || name[0] == '.' || name[0] == '-') {
    fail("may contain only letters, digits and . _ -, and must begin with a letter, a digit or _");
  }
  return name;
}

const std::string& Item::one_of(std::string_view kind,
                                const std::vector<std::string>& choices) const {
  const std::string& value = text();
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    fail(base::unknown_name(kind, value, choices));
  }
  return value;
}

double Item::duration_s() const {
  constexpr std::size_t kHourDigits = 5;
  const std::string& value = text();
  int hours = 0, minutes = 0, seconds = 0, used = 0;
  if (value.find(':') != std::string::npos && value.find(':') > kHourDigits) {
    fail(
        fmt::format("expected a time as \"HH:MM:SS\" of at most 99999 hours, found \"{}\"", value));
  }
  const int read = std::sscanf(value.c_str(), "%5d:%2d:%2d%n", &hours, &minutes, &seconds, &used);
  const bool whole_text = read == 3 && used == static_cast<int>(value.size()) &&
                          value.find_first_not_of("0123456789:") == std::string::npos;
  const double total = hours * 3600.0 + minutes * 60.0 + seconds;
  if (!whole_text || minutes > 59 || seconds > 59 || total <= 0) {
    fail(fmt::format("expected a time as \"HH:MM:SS\", found \"{}\"", value));
  }
  return total;
}

const Table& Item::table() const {
  return as<Table>(*this, "a table");
}

std::vector<Item> Item::items() const {
  const auto* list = std::get_if<List>(&node.value);
  if (list == nullptr) return {*this};
  std::vector<Item> result;
  for (std::size_t i = 0; i < list->size(); ++i) {
    result.push_back({(*list)[i], fmt::format("{}[{}]", key, i)});
  }
  return result;
}

std::vector<double> Item::numbers(double least) const {
  std::vector<double> result;
  for (const Item& item : items()) result.push_back(item.number(least));
  return result;
}

std::vector<std::string> Item::texts() const {
  std::vector<std::string> result;
  for (const Item& item : items()) result.push_back(item.text());
  return result;
}

void match_keys(const Item& table, const std::vector<std::string>& names,
                const std::function<void(std::size_t, const Item&)>& found) {
  KeyMatcher{names, found}.visit(table, "");
}

}  // namespace dlscale::config
