// SPDX-License-Identifier: Apache-2.0
// Private to contract/: the fields of a type in the order JSON wants them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscale::contract::codec {

/// Where a field lies in its object, and how a Writer writes it.
template <class Writer>
struct Field {
  std::string_view key;
  std::string quoted_key;
  std::ptrdiff_t offset;  ///< from the object's first byte
  void (*write)(Writer&, const void* field);
  bool (*says_nothing)(const void* field);  ///< null: written in any case
};

/// Asks a type's visit_fields, on an object of it, for the fields.
template <class Writer>
struct FieldCollector {
  const std::byte* object;
  std::vector<Field<Writer>> fields = {};

  template <class T>
  void required(const char* key, const T& field) {
    add(key, field, nullptr);
  }
  template <class T>
  void optional(const char* key, const T& field) {
    add(key, field, nullptr);
  }
  /// Left out where it says nothing.
  template <class T>
  void sparse(const char* key, const T& field) {
    add(key, field, [](const void* at) { return *static_cast<const T*>(at) == T{}; });
  }

 private:
  template <class T>
  void add(const char* key, const T& field, bool (*says_nothing)(const void*)) {
    fields.push_back(
        {key, '"' + std::string(key) + '"', reinterpret_cast<const std::byte*>(&field) - object,
         [](Writer& writer, const void* at) { writer.write(*static_cast<const T*>(at)); },
         says_nothing});
  }
};

/// Sorted by key, once for each type.
template <class Writer, class T>
const std::vector<Field<Writer>>& sorted_fields() {
  static const std::vector<Field<Writer>> fields = [] {
    T example;
    FieldCollector<Writer> collector{reinterpret_cast<const std::byte*>(&example)};
    visit_fields(collector, example);
    std::sort(collector.fields.begin(), collector.fields.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    return std::move(collector.fields);
  }();
  return fields;
}

}  // namespace dlscale::contract::codec
