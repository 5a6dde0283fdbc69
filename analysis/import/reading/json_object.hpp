// SPDX-License-Identifier: Apache-2.0
// A JSON object of a log, one after the other with the same memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace dlscale::analysis {

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
