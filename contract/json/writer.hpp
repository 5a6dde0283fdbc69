// SPDX-License-Identifier: Apache-2.0
// Values to JSON text, keys in the order in which they are declared or named.
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

/// Where lines end: what lies deeper than `levels` stands on one line, without blanks.
struct Layout {
  int indent = 0;  ///< blanks for each level
  int levels = 0;
};
inline constexpr Layout kOneLine{};
inline constexpr Layout kIndented{2, INT_MAX};

/// Writes values one after the other, without building a document in memory: whole ones by write,
/// or objects and lists bit by bit by open, key, element and close. Bytes that are no UTF-8 become
/// U+FFFD, numbers that are not finite null.
class TextWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Keys in `omitted` are left out; "a.b" is key b of the top-level object a.
  explicit TextWriter(Layout layout, std::span<const std::string_view> omitted = {})
      : layout_(layout), omitted_(omitted) {
    text_.reserve(kUsualSize);
  }
  /// Hands the text over in pieces, the last in `finish`.
  TextWriter(Layout layout, Sink sink) : layout_(layout), sink_(std::move(sink)) {}

  template <class T>
  void write(const T& value) {
    if constexpr (HasFields<T>) {
      open('{');
      visit_fields(*this, const_cast<T&>(value));  // which only reads
      close('}');
    } else {
      write_value(value);
    }
  }

  /// `bracket`: { or [, and its counterpart.
  void open(char bracket);
  void close(char bracket);
  void key(std::string_view name);                     ///< its value follows
  void element();                                      ///< of a list: it follows
  void json(std::string_view text) { text_ += text; }  ///< a value that is JSON already
  template <class T>
  void member(std::string_view name, const T& value) {
    key(name);
    write(value);
  }

  // For visit_fields.

  template <class T>
  void required(std::string_view name, const T& value) {
    if (omitted_.empty() || !is_omitted(name)) member(name, value);
  }
  template <class T>
  void optional(std::string_view name, const T& value) {
    required(name, value);
  }
  /// Left out where it says nothing.
  template <class T>
  void sparse(std::string_view name, const T& value) {
    if (!(value == T{})) required(name, value);
  }

  void end_line() { text_ += '\n'; }
  void finish();
  std::string take() { return std::move(text_); }

 private:
  static constexpr std::size_t kUsualSize = 2048;  // of a run.json

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
  std::string_view top_key_;  // of the top-level object: where the writer is
  int level_ = 0;
  bool empty_ = true;  // nothing in the innermost brackets yet
};

template <class T>
std::string to_text(const T& value, Layout layout) {
  TextWriter writer(layout);
  writer.write(value);
  return writer.take();
}

}  // namespace dlscale::contract::codec
