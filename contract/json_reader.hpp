// SPDX-License-Identifier: Apache-2.0
// Private to contract/*.cpp: JSON to values, by the field list that writing uses as well.
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

#include "contract/json_text.hpp"
#include "contract/plan.hpp"
#include "contract/result_record.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::contract::codec {

/// Where a value stands, for messages; made into words only when there is something to say.
struct Place {
  std::string_view file;
  const Place* parent = nullptr;
  std::string_view key;   ///< in the parent; empty: an element of it
  std::size_t index = 0;  ///< of that element

  Place inside(std::string_view name) const { return {file, this, name}; }
  Place at(std::size_t i) const { return {file, this, {}, i}; }
  std::string key_path() const {
    if (parent == nullptr) return "";
    const std::string above = parent->key_path();
    if (key.empty()) return above + "[" + std::to_string(index) + "]";
    return above.empty() ? std::string(key) : above + "." + std::string(key);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw base::SpecError({std::string(file)}, key_path(), message);
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
  bool keeps_unknown = false;
  std::vector<std::string_view> known = {};

  template <class T>
  void required(const char* key, T& out) {
    if (!take(key, out)) place.inside(key).fail("missing");
  }
  template <class T>
  void optional(const char* key, T& out) {
    take(key, out);
  }
  template <class T>
  void sparse(const char* key, T& out) {
    take(key, out);
  }
  /// JSON text of the keys no field asked for; empty when there are none.
  std::string unknown_keys() const {
    json rest = json::object();
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) rest[key] = value;
    }
    return rest.empty() ? std::string() : dump(rest);
  }

 private:
  template <class T>
  bool take(const char* key, T& out) {
    if (keeps_unknown) known.emplace_back(key);
    const auto found = object.find(key);
    if (found == object.end()) return false;
    from_value(*found, out, place.inside(key));
    return true;
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
  const bool fits = value.is_number_unsigned() ? std::in_range<Integer>(value.get<std::uint64_t>())
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
inline void from_value_of(const json& value, JobKind& out, const Place& place) {
  std::string name;
  from_value_of(value, name, place);
  const auto* const known = std::find(std::begin(kJobKinds), std::end(kJobKinds), name);
  if (known == std::end(kJobKinds)) place.fail("unknown kind of job \"" + name + "\"");
  out = static_cast<JobKind>(known - std::begin(kJobKinds));
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
    from_value(value[i], out.emplace_back(), place.at(i));
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
    if constexpr (requires { out.extra; }) reader.keeps_unknown = true;
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
  from_value(parse(text, file), out, {file});
  return out;
}

}  // namespace dlscale::contract::codec
