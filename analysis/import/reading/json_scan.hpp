// SPDX-License-Identifier: Apache-2.0
// Where objects stand in a JSON document that may have been cut off.
#pragma once

#include <cstddef>
#include <string_view>

namespace dlscale::analysis {

/// The object or list whose opening bracket is at `at`, with its brackets; empty when the text ends
/// before it does.
std::string_view json_whole(std::string_view text, std::size_t at);

/// Where the value of the next `"key":` begins, from `from` on; npos without one.
std::size_t json_value_of(std::string_view text, std::string_view key, std::size_t from = 0);

/// Calls `take(object, offset)` for each whole object that a list or an object has directly, of
/// which `from` is the first byte behind the opening bracket; false when the text ends before it.
template <class Take>
bool each_json_object(std::string_view text, std::size_t from, Take take) {
  while (from < text.size()) {
    const std::size_t at = text.find_first_of("{]}", from);
    if (at == std::string_view::npos) return false;
    if (text[at] != '{') return true;
    const std::string_view object = json_whole(text, at);
    if (object.empty()) return false;
    take(object, at);
    from = at + object.size();
  }
  return false;
}

}  // namespace dlscale::analysis
