// SPDX-License-Identifier: Apache-2.0
// Looking a name up among known ones; an unknown name is answered with the nearest and the list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::base {

/// The choice most like `name`, or an empty string when none is near enough to have been meant
/// (edit distance, a swap of neighbours counting once: at most a third of the length, 1 at least).
std::string nearest(std::string_view name, const std::vector<std::string>& choices);

/// `unknown model "vg16"; did you mean "vgg16"? (known: alexnet, vgg16)`
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& choices);

/// The rows of a family's table, as CMake generates it (cmake/Registry.cmake).
template <class Entry>
using Table = std::span<const Entry* const>;

template <class Entry>
std::vector<std::string> names(Table<Entry> table) {
  std::vector<std::string> result;
  for (const Entry* entry : table) result.emplace_back(entry->name);
  return result;
}

/// The row called `name`. Throws UsageError with unknown_name's text.
template <class Entry>
const Entry& find(Table<Entry> table, std::string_view kind, std::string_view name) {
  for (const Entry* entry : table) {
    if (entry->name == name) return *entry;
  }
  throw UsageError(unknown_name(kind, name, names(table)));
}

}  // namespace dlscale::base
