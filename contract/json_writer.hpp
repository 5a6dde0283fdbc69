// SPDX-License-Identifier: Apache-2.0
// Private to contract/*.cpp: values to JSON, by the field list that reading uses as well.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/json_text.hpp"
#include "contract/plan.hpp"
#include "contract/result_record.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::contract::codec {

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
  /// Left out where it says nothing.
  template <class T>
  void sparse(const char* key, const T& value) {
    if (!(value == T{})) object[key] = to_value(value);
  }
};

template <std::floating_point T>
json to_value_of(T value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}
inline json to_value_of(RunOutcome value) {
  return to_string(value);
}
inline json to_value_of(JobKind value) {
  return to_string(value);
}
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

}  // namespace dlscale::contract::codec
