// SPDX-License-Identifier: Apache-2.0
// Reads values from JSON text. The reader and the writer use the same list of fields of a type.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/job_kind.hpp"
#include "contract/json/document.hpp"
#include "contract/json/writer.hpp"
#include "contract/run_outcome.hpp"
#include "contract/step_part.hpp"

namespace dlscale::contract::codec {

/// Position of a value in a JSON text, for error messages. The dotted key of the value is built
/// only when an error is reported.
struct JsonPlace {
  std::string_view file;
  const JsonPlace* parent = nullptr;
  std::string_view key;   ///< key in the parent; empty for an element of a list
  std::size_t index = 0;  ///< index in the list

  JsonPlace inside(std::string_view name) const { return {file, this, name}; }
  JsonPlace at(std::size_t i) const { return {file, this, {}, i}; }
  std::string key_path() const {
    if (parent == nullptr) return "";
    const std::string above = parent->key_path();
    if (key.empty()) return above + "[" + std::to_string(index) + "]";
    return above.empty() ? std::string(key) : above + "." + std::string(key);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw base::SpecError({std::string(file)}, key_path(), message);
  }
  [[noreturn]] void wrong_type(const char* expected, Value found) const {
    fail(std::string("expected ") + expected + ", found " + type_name(found));
  }
};

inline Members members_of(Value value, const JsonPlace& place) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) place.wrong_type("an object", value);
  return members_of(object);
}

template <class T>
void from_value(Value value, T& out, const JsonPlace& place);

struct ObjectReader {
  const Members& members;
  const JsonPlace& place;
  bool keeps_unknown = false;
  std::vector<std::string_view> known = {};

  template <class T>
  void required(const char* key, T& out) {
    if (!try_read(key, out)) place.inside(key).fail("missing");
  }
  template <class T>
  void optional(const char* key, T& out) {
    try_read(key, out);
  }
  template <class T>
  void sparse(const char* key, T& out) {
    try_read(key, out);
  }
  /// Returns a JSON object of the members that no field of the type has read. Returns an empty text
  /// if all members have been read.
  std::string unknown_keys() const {
    TextWriter rest(kOneLine);
    bool any = false;
    rest.open('{');
    for (const auto& [key, value] : members) {
      const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
      if (is_known || find(members, key) != &value) continue;
      rest.key(key);
      rest.json(simdjson::minify(value));
      any = true;
    }
    rest.close('}');
    return any ? rest.release_text() : std::string();
  }

 private:
  template <class T>
  bool try_read(const char* key, T& out) {
    if (keeps_unknown) known.emplace_back(key);
    const Value* const found = find(members, key);
    if (found == nullptr) return false;
    from_value(*found, out, place.inside(key));
    return true;
  }
};

inline void from_value_of(Value value, std::string& out, const JsonPlace& place) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) place.wrong_type("a string", value);
  out = text;
}
inline void from_value_of(Value value, bool& out, const JsonPlace& place) {
  if (value.get(out) != simdjson::SUCCESS) place.wrong_type("true or false", value);
}
inline void from_value_of(Value value, double& out, const JsonPlace& place) {
  if (value.is_null()) {
    out = std::nan("");
  } else if (value.get(out) != simdjson::SUCCESS) {
    place.wrong_type("a number", value);
  }
}
template <std::integral Integer>
void from_value_of(Value value, Integer& out, const JsonPlace& place) {
  const auto store = [&](auto number) {
    const bool fits = std::in_range<Integer>(number);
    if (!fits) place.fail("number out of range: " + std::to_string(number));
    out = static_cast<Integer>(number);
  };
  std::int64_t number = 0;
  std::uint64_t large = 0;
  if (value.get(number) == simdjson::SUCCESS) return store(number);
  if (value.get(large) == simdjson::SUCCESS) return store(large);
  place.wrong_type("a whole number", value);
}
inline void from_value_of(Value value, RunOutcome& out, const JsonPlace& place) {
  std::string name;
  from_value_of(value, name, place);
  const auto outcome = outcome_from_string(name);
  if (!outcome) place.fail("unknown outcome \"" + name + "\"");
  out = *outcome;
}
inline void from_value_of(Value value, JobKind& out, const JsonPlace& place) {
  std::string name;
  from_value_of(value, name, place);
  const auto* const known = std::find(std::begin(kJobKinds), std::end(kJobKinds), name);
  if (known == std::end(kJobKinds)) place.fail("unknown kind of job \"" + name + "\"");
  out = static_cast<JobKind>(known - std::begin(kJobKinds));
}
template <class T>
void from_value_of(Value value, std::optional<T>& out, const JsonPlace& place) {
  out.reset();
  if (!value.is_null()) from_value(value, out.emplace(), place);
}
template <class T>
void from_value_of(Value value, std::vector<T>& out, const JsonPlace& place) {
  simdjson::dom::array elements;
  if (value.get(elements) != simdjson::SUCCESS) place.wrong_type("an array", value);
  out.clear();
  out.reserve(elements.size());
  for (const Value element : elements) {
    const JsonPlace here = place.at(out.size());
    from_value(element, out.emplace_back(), here);
  }
}
template <class T>
void from_value_of(Value value, std::map<std::string, T>& out, const JsonPlace& place) {
  out.clear();
  for (const auto& [key, element] : members_of(value, place)) {
    from_value(element, out[std::string(key)], place.inside(key));
  }
}
template <class T>
void from_value_of(Value value, std::array<T, kStepParts>& out, const JsonPlace& place) {
  const Members members = members_of(value, place);
  for (int i = 0; i < kStepParts; ++i) {
    const Value* const found = find(members, kStepPartNames[i]);
    if (found != nullptr) from_value(*found, out[i], place.inside(kStepPartNames[i]));
  }
}

template <class T>
void from_members(const Members& members, T& out, const JsonPlace& place) {
  ObjectReader reader{members, place};
  if constexpr (requires { out.extra; }) reader.keeps_unknown = true;
  visit_fields(reader, out);
  if constexpr (requires { out.extra; }) out.extra = reader.unknown_keys();
}

template <class T>
void from_value(Value value, T& out, const JsonPlace& place) {
  if constexpr (HasFields<T>) {
    from_members(members_of(value, place), out, place);
  } else {
    from_value_of(value, out, place);
  }
}

/// Parses a JSON text and returns its object as a value of type T. `document` holds the parser and
/// can be reused for several texts. Throws base::SpecError, which names `file`, if the text is not
/// a JSON object or does not fit T.
template <class T>
T read_object(std::string_view text, std::string_view file, Document& document) {
  T out;
  from_value(document.parse(text, file), out, {file});
  return out;
}
template <class T>
T read_object(std::string_view text, std::string_view file) {
  Document document;
  return read_object<T>(text, file, document);
}

}  // namespace dlscale::contract::codec
