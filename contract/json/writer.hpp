// SPDX-License-Identifier: Apache-2.0
// Writes values as JSON text, with keys in the order in which they are declared or passed.
#pragma once

#include <array>
#include <charconv>
#include <climits>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/job_kind.hpp"
#include "contract/json/visitor.hpp"
#include "contract/run_outcome.hpp"
#include "contract/step_part.hpp"

namespace dlscale::contract::codec {

/// Layout of JSON text. Values nested deeper than `levels` are written on one line without spaces.
struct Layout {
  int indent = 0;  ///< number of spaces per level
  int levels = 0;
};
inline constexpr Layout kOneLine{};
inline constexpr Layout kIndented{2, INT_MAX};

/// Writer of JSON text that does not build a document in memory. `write` writes a whole value.
/// `open`, `key`, `element` and `close` write an object or a list in parts. Bytes that are not
/// valid UTF-8 become U+FFFD. Numbers that are not finite become null.
class TextWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Creates a writer that keeps the text in memory. Keys in `omitted` are not written. The entry
  /// "a.b" omits key b of the top-level object a.
  explicit TextWriter(Layout layout, std::span<const std::string_view> omitted = {})
      : layout_(layout), omitted_(omitted) {
    text_.reserve(kUsualSize);
  }
  /// Creates a writer that passes the text to `sink` in pieces. `finish` passes the last piece.
  TextWriter(Layout layout, Sink sink) : layout_(layout), sink_(std::move(sink)) {}

  template <class T>
  void write(const T& value) {
    if constexpr (HasFields<T>) {
      open('{');
      // The cast is safe because the writer does not change the value.
      visit_fields(*this, const_cast<T&>(value));
      close('}');
    } else {
      write_value(value);
    }
  }

  /// Starts an object with { or a list with [. `close` writes the matching bracket.
  void open(char bracket);
  void close(char bracket);
  /// Writes the key of a member. The caller writes the value next.
  void key(std::string_view name);
  /// Starts an element of a list. The caller writes the element next.
  void element();
  /// Writes a value that is already JSON text.
  void json(std::string_view text) { text_ += text; }
  template <class T>
  void member(std::string_view name, const T& value) {
    key(name);
    write(value);
  }

  // The following functions are called by visit_fields.

  template <class T>
  void required(std::string_view name, const T& value) {
    if (omitted_.empty() || !is_omitted(name)) member(name, value);
  }
  template <class T>
  void optional(std::string_view name, const T& value) {
    required(name, value);
  }
  /// Writes a member unless it has the default value of its type.
  template <class T>
  void sparse(std::string_view name, const T& value) {
    if (!(value == T{})) required(name, value);
  }

  void end_line() { text_ += '\n'; }
  void finish();
  std::string release_text() { return std::move(text_); }

 private:
  static constexpr std::size_t kUsualSize = 2048;  // size of a typical run.json in bytes

  template <std::integral T>
  void write_value(T value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
  }
  void write_value(bool value) { text_ += value ? "true" : "false"; }
  void write_value(double value);
  void write_value(std::nullptr_t) { text_ += "null"; }
  void write_value(std::string_view value);
  void write_value(const std::string& value) { write_value(std::string_view(value)); }
  void write_value(const char* value) { write_value(std::string_view(value)); }
  void write_value(RunOutcome value) { write_value(to_string(value)); }
  void write_value(JobKind value) { write_value(to_string(value)); }
  template <class T>
  void write_value(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      write_value(nullptr);
    }
  }
  template <class T>
  void write_value(const std::vector<T>& values) {
    open('[');
    for (const T& value : values) {
      element();
      write(value);
    }
    close(']');
  }
  template <class T>
  void write_value(const std::map<std::string, T>& values) {
    open('{');
    for (const auto& [name, value] : values) member(name, value);
    close('}');
  }
  template <class T>
  void write_value(const std::array<T, kStepParts>& parts) {
    open('{');
    for (int i = 0; i < kStepParts; ++i) member(kStepPartNames[i], parts[i]);
    close('}');
  }

  void break_line(int level);
  bool is_omitted(std::string_view key) const;

  Layout layout_;
  std::span<const std::string_view> omitted_;
  Sink sink_;
  std::string text_;
  std::string_view top_key_;  // current key of the top-level object
  int level_ = 0;
  bool empty_ = true;  // true while the innermost brackets are empty
};

template <class T>
std::string to_text(const T& value, Layout layout) {
  TextWriter writer(layout);
  writer.write(value);
  return writer.release_text();
}

}  // namespace dlscale::contract::codec
