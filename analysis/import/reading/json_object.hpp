// SPDX-License-Identifier: Apache-2.0
// Reads the JSON objects of a log with a parser that reuses its memory, and locates objects in
// truncated documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace dlscale::analysis {

// Functions that find objects in a JSON document that may be truncated.

/// Returns the object or list whose opening bracket is at `at`, including both brackets. Returns an
/// empty text if the text ends before the closing bracket.
std::string_view json_whole(std::string_view text, std::size_t at);

/// Returns the position of the value of the next `"key":` at or after `from`, or npos if there is
/// none.
std::size_t json_value_of(std::string_view text, std::string_view key, std::size_t from = 0);

/// Calls `visit(object, offset)` for each complete object directly within a list or an object.
/// `from` is the first byte after the opening bracket. Returns false if the text ends before the
/// end of the list or object.
template <class Visit>
bool each_json_object(std::string_view text, std::size_t from, Visit visit) {
  while (from < text.size()) {
    const std::size_t at = text.find_first_of("{]}", from);
    if (at == std::string_view::npos) return false;
    if (text[at] != '{') return true;
    const std::string_view object = json_whole(text, at);
    if (object.empty()) return false;
    visit(object, at);
    from = at + object.size();
  }
  return false;
}

// Access to the values of a JSON object.

/// JSON object that is read repeatedly with the same memory. A key is a plain name if the object
/// has such a name, and otherwise a path: "metadata/epoch_num" is the key "epoch_num" in the object
/// "metadata". A value of another type than requested is treated as absent.
class JsonObject {
 public:
  JsonObject();
  ~JsonObject();
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  /// Reads a text and returns true if the text is one JSON object. Invalidates all texts returned
  /// for the previous object. NaN and Infinity, which Python writes although JSON does not define
  /// them, are read as texts.
  bool read(std::string_view text);
  bool has(std::string_view key) const;
  /// Returns the finite number under a key.
  std::optional<double> number(std::string_view key) const;
  /// Returns the loss under a key. The returned loss is infinite if the log reports NaN or
  /// Infinity. It is NaN if the log has no loss.
  double loss(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  /// Returns the integer at a position of the list under a key.
  std::optional<std::int64_t> item(std::string_view key, std::size_t position) const;
  /// Calls `visit` for each text, number and truth value of the object at the path, with its key.
  /// Numbers and truth values are passed as texts.
  void each_text(
      std::string_view path,
      const std::function<void(std::string_view key, std::string_view value)>& visit) const;
  /// Calls `visit` for each number of the object at the path, with its key. An empty path stands
  /// for the whole object.
  void each_number(std::string_view path,
                   const std::function<void(std::string_view key, double value)>& visit) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace dlscale::analysis
