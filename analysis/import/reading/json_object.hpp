// SPDX-License-Identifier: Apache-2.0
// JSON objects of a log, one after the other with the same memory, and where they stand in a
// document that may have been cut off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace dlscale::analysis {

// Where objects stand in a JSON document that may have been cut off.

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

// A JSON object of a log, one after the other with the same memory.

/// Keys are paths, where none is called so: "metadata/epoch_num" is in the object that "metadata"
/// is. A key of which the value has another type than asked for is as one that is not there.
class JsonObject {
 public:
  JsonObject();
  ~JsonObject();
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  /// Whether the text is one JSON object. What it returned of the text before is gone. NaN and
  /// Infinity, which Python writes and JSON does not have, are read as texts.
  bool read(std::string_view text);
  bool has(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  ///< a finite one
  /// A number, or infinity where the log tells NaN or Infinity; NaN where it tells no loss.
  double loss(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  /// An integer of a list.
  std::optional<std::int64_t> item(std::string_view key, std::size_t position) const;
  /// Each number (as text) and text of the object at the path, with its key.
  void each_text(
      std::string_view path,
      const std::function<void(std::string_view key, std::string_view value)>& take) const;
  /// Of the object (or of the one at the path, "" for the whole), each number with its key.
  void each_number(std::string_view path,
                   const std::function<void(std::string_view key, double value)>& take) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace dlscale::analysis
