// SPDX-License-Identifier: Apache-2.0
// Private to contract/*.cpp: one list of fields per type serves both directions, so that what is
// written and what is read cannot drift apart.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "contract/result_record.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::contract::codec {

using nlohmann::json;

/// Parses JSON text. Throws base::SpecError with line and column.
inline json parse(std::string_view text, std::string_view file) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    const bool cut = offset >= text.size();
    throw base::SpecError(base::locate(file, text, offset), "",
                          cut ? "not valid JSON: the text ends too early" : "not valid JSON");
  }
}

/// JSON text; bytes that are no UTF-8 are replaced, since JSON cannot hold them.
inline std::string to_text(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

/// A type with a `visit_fields(visitor, value)` found by argument-dependent lookup.
struct AnyVisitor {
  template <class T>
  void required(const char*, T&) {}
  template <class T>
  void optional(const char*, T&) {}
};
template <class T>
concept HasFields = requires(AnyVisitor& visitor, T& value) { visit_fields(visitor, value); };

// Writing -----------------------------------------------------------------------------------

template <class T>
json to_value(const T& value);

struct Writer {
  json& object;
  template <class T>
  void required(const char* key, const T& value) {
    object[key] = to_value(value);
  }
  template <class T>
  void optional(const char* key, const T& value) {
    object[key] = to_value(value);
  }
};

template <std::floating_point T>
json to_value_of(T value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}
inline json to_value_of(RunOutcome value) { return to_string(value); }
template <class T>
json to_value_of(const std::optional<T>& value) {
  return value ? to_value(*value) : json(nullptr);
}
template <class T>
json to_value_of(const std::vector<T>& values) {
  json list = json::array();
  for (const T& value : values) list.push_back(to_value(value));
  return list;
}
template <class T>
json to_value_of(const std::map<std::string, T>& values) {
  json object = json::object();
  for (const auto& [key, value] : values) object[key] = to_value(value);
  return object;
}
template <class T>
json to_value_of(const std::array<T, kStepParts>& parts) {
  json object = json::object();
  for (int i = 0; i < kStepParts; ++i) object[kStepPartNames[i]] = to_value(parts[i]);
  return object;
}

template <class T>
json to_value(const T& value) {
  if constexpr (HasFields<T>) {
    json object = json::object();
    Writer writer{object};
    visit_fields(writer, const_cast<T&>(value));  // a Writer only reads
    return object;
  } else if constexpr (requires { to_value_of(value); }) {
    return to_value_of(value);
  } else {
    return json(value);
  }
}

// Reading -----------------------------------------------------------------------------------

/// Where a value stands, for messages.
struct Place {
  std::string file;
  std::string key_path;
  Place inside(const std::string& key) const {
    return {file, key_path.empty() ? key : key_path + "." + key};
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw base::SpecError({file}, key_path, message);
  }
  [[noreturn]] void wrong_type(const char* expected, const json& found) const {
    fail(std::string("expected ") + expected + ", found " + found.type_name());
  }
};

template <class T>
void from_value(const json& value, T& out, const Place& place);

struct Reader {
  const json& object;
  const Place& place;
  std::set<std::string> known = {};

  template <class T>
  void required(const char* key, T& out) {
    if (!object.contains(key)) place.inside(key).fail("missing");
    optional(key, out);
  }
  template <class T>
  void optional(const char* key, T& out) {
    known.insert(key);
    const auto found = object.find(key);
    if (found != object.end()) from_value(*found, out, place.inside(key));
  }
  /// JSON text of the keys no field asked for; empty when there are none.
  std::string unknown_keys() const {
    json rest = json::object();
    for (const auto& [key, value] : object.items()) {
      if (!known.count(key)) rest[key] = value;
    }
    return rest.empty() ? std::string() : to_text(rest);
  }
};

inline void from_value_of(const json& value, std::string& out, const Place& place) {
  if (!value.is_string()) place.wrong_type("a string", value);
  out = value.get<std::string>();
}
inline void from_value_of(const json& value, bool& out, const Place& place) {
  if (!value.is_boolean()) place.wrong_type("true or false", value);
  out = value.get<bool>();
}
inline void from_value_of(const json& value, double& out, const Place& place) {
  if (value.is_null()) {
    out = std::nan("");
  } else if (!value.is_number()) {
    place.wrong_type("a number", value);
  } else {
    out = value.get<double>();
  }
}
template <std::integral Integer>
void from_value_of(const json& value, Integer& out, const Place& place) {
  if (!value.is_number_integer()) place.wrong_type("a whole number", value);
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<Integer>(value.get<std::uint64_t>())
                        : std::in_range<Integer>(value.get<std::int64_t>());
  if (!fits) place.fail("number out of range: " + value.dump());
  out = value.get<Integer>();
}
inline void from_value_of(const json& value, RunOutcome& out, const Place& place) {
  std::string name;
  from_value_of(value, name, place);
  const auto outcome = outcome_from_string(name);
  if (!outcome) place.fail("unknown outcome \"" + name + "\"");
  out = *outcome;
}
template <class T>
void from_value_of(const json& value, std::optional<T>& out, const Place& place) {
  out.reset();
  if (!value.is_null()) from_value(value, out.emplace(), place);
}
template <class T>
void from_value_of(const json& value, std::vector<T>& out, const Place& place) {
  if (!value.is_array()) place.wrong_type("a list", value);
  out.clear();
  for (std::size_t i = 0; i < value.size(); ++i) {
    from_value(value[i], out.emplace_back(), {place.file, place.key_path + "[" + std::to_string(i) + "]"});
  }
}
template <class T>
void from_value_of(const json& value, std::map<std::string, T>& out, const Place& place) {
  if (!value.is_object()) place.wrong_type("a table", value);
  out.clear();
  for (const auto& [key, element] : value.items()) from_value(element, out[key], place.inside(key));
}
template <class T>
void from_value_of(const json& value, std::array<T, kStepParts>& out, const Place& place) {
  if (!value.is_object()) place.wrong_type("a table", value);
  for (int i = 0; i < kStepParts; ++i) {
    const auto found = value.find(kStepPartNames[i]);
    if (found != value.end()) from_value(*found, out[i], place.inside(kStepPartNames[i]));
  }
}

template <class T>
void from_value(const json& value, T& out, const Place& place) {
  if constexpr (HasFields<T>) {
    if (!value.is_object()) place.wrong_type("a table", value);
    Reader reader{value, place};
    visit_fields(reader, out);
    if constexpr (requires { out.extra; }) out.extra = reader.unknown_keys();
  } else {
    from_value_of(value, out, place);
  }
}

/// A file's text as one object of type T.
template <class T>
T read_object(std::string_view text, std::string_view file) {
  T out;
  from_value(parse(text, file), out, {std::string(file), ""});
  return out;
}

}  // namespace dlscale::contract::codec
