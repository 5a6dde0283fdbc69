// SPDX-License-Identifier: Apache-2.0
// Private to contract/: values to JSON text, by the field list that reading uses as well.
#pragma once

#include <array>
#include <charconv>
#include <climits>
#include <concepts>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/job_kind.hpp"
#include "contract/json/document.hpp"
#include "contract/json/fields.hpp"
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

/// Writes the text that nlohmann::json's dump gives for the same values (keys sorted, bytes that
/// are no UTF-8 replaced, numbers that are not finite as null), without building them in memory.
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
      write_fields(value);
    } else {
      write_value(value);
    }
  }
  void end_line() { text_ += '\n'; }
  void finish();
  std::string take() { return std::move(text_); }

 private:
  static constexpr std::size_t kUsualSize = 2048;  // of a run.json

  template <class T>
  void write_fields(const T& object) {
    const auto* const first = reinterpret_cast<const std::byte*>(&object);
    open('{');
    for (const Field<TextWriter>& field : sorted_fields<TextWriter, T>()) {
      const void* const at = first + field.offset;
      if (field.says_nothing != nullptr && field.says_nothing(at)) continue;
      if (!omitted_.empty() && is_omitted(field.key)) continue;
      if (level_ == 1) top_key_ = field.key;
      next();
      text_ += field.quoted_key;
      end_key();
      field.write(*this, at);
    }
    close('}');
  }
  template <std::integral T>
  void write_value(T value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
  }
  void write_value(bool value) { text_ += value ? "true" : "false"; }
  void write_value(double value);
  void write_value(std::string_view value);
  void write_value(const std::string& value) { write_value(std::string_view(value)); }
  void write_value(RunOutcome value) { write_value(to_string(value)); }
  void write_value(JobKind value) { write_value(to_string(value)); }
  template <class T>
  void write_value(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      text_ += "null";
    }
  }
  template <class T>
  void write_value(const std::vector<T>& values) {
    open('[');
    for (const T& value : values) {
      next();
      write(value);
    }
    close(']');
  }
  template <class T>
  void write_value(const std::map<std::string, T>& values) {
    open('{');
    for (const auto& [key, value] : values) {
      next();
      write_value(key);
      end_key();
      write(value);
    }
    close('}');
  }
  template <class T>
  void write_value(const std::array<T, kStepParts>& parts) {
    std::map<std::string, T> named;
    for (int i = 0; i < kStepParts; ++i) named[kStepPartNames[i]] = parts[i];
    write_value(named);
  }

  void open(char bracket);
  void close(char bracket);
  void next();  ///< before each element
  void end_key();
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
